// Where the tour is: which step, over which question. It is offered once in a browser, and goes on after a reload.

const ENDED = "footnote.tour";
const RUNNING = "footnote.tour.step";
const listeners = new Set();

/** The steps in their order. */
export const STEPS = ["ask", "open", "found", "library", "end"];

let state = read();

function read() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(RUNNING));
    return kept?.step in STEPS ? kept : null;
  } catch {
    return null;
  }
}

/** `{step, question, folder, threadId}`, or null where there is no tour. */
export const tour = () => state;

export function beginTour(corpus) {
  set({ step: 0, question: corpus.questions[0].text, folder: corpus.folder, threadId: null });
}

/** Begins the tour unless this browser has had it. */
export function offerTour(corpus) {
  if (!state && localStorage.getItem(ENDED) === null) beginTour(corpus);
}

/** The next step, with what is known since; the end behind the last one. */
export function stepOn(known = {}) {
  if (!state) return;
  if (state.step + 1 < STEPS.length) set({ ...state, ...known, step: state.step + 1 });
  else endTour();
}

export function endTour() {
  localStorage.setItem(ENDED, "ended");
  set(null);
}

export function onTour(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function set(next) {
  state = next;
  if (next) sessionStorage.setItem(RUNNING, JSON.stringify(next));
  else sessionStorage.removeItem(RUNNING);
  for (const listener of listeners) listener();
}
