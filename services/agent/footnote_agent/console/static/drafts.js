// What is being typed. It is kept for the tab, so that a reload or a fault does not take it.

const at = (name) => `footnote.draft.${name}`;

/** The name of the draft that begins a conversation; every conversation has one of its own, by its id. */
export const NEW = "new";

export const draftOf = (name) => sessionStorage.getItem(at(name)) ?? "";

export function keepDraft(name, text) {
  if (text) sessionStorage.setItem(at(name), text);
  else sessionStorage.removeItem(at(name));
}
