// Who is signed in: the key, where it is kept, and who wants to know when that changes.

const NAME = "footnote.key";
const listeners = new Set();
let key = localStorage.getItem(NAME) ?? sessionStorage.getItem(NAME) ?? "";
let refused = false;

/** Takes the key out of the address, once: it does not stay in the bar or in the history. */
export function takeKeyFromAddress() {
  const given = /^#key=([^&]+)/.exec(location.hash);
  if (!given) return;
  history.replaceState(null, "", `${location.pathname}#/ask`);
  signIn(decodeURIComponent(given[1]), true);
}

export const currentKey = () => key;

/** Whether the server has refused the key that was given. */
export const wasRefused = () => refused;

export function signIn(given, stay) {
  key = given.trim();
  refused = false;
  localStorage.removeItem(NAME);
  sessionStorage.removeItem(NAME);
  (stay ? localStorage : sessionStorage).setItem(NAME, key);
  tell();
}

/** Forgets the key. What was typed stays on the page, below the form that asks for a new one. */
export function signOut(because = "") {
  if (!key && !because) return;
  key = "";
  refused = because === "refused";
  localStorage.removeItem(NAME);
  sessionStorage.removeItem(NAME);
  tell();
}

/** Somebody leaves: nothing of theirs stays for whoever comes after them. */
export function leave() {
  for (const name of Object.keys(sessionStorage)) if (name.startsWith("footnote.")) sessionStorage.removeItem(name);
  signOut("wish");
  history.replaceState(null, "", `${location.pathname}#/ask`);
  location.reload();
}

export function onSession(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// Another tab that signs out or in does so for all of them.
addEventListener("storage", (event) => {
  if (event.key !== NAME) return;
  key = event.newValue ?? "";
  tell();
});

function tell() {
  for (const listener of listeners) listener();
}
