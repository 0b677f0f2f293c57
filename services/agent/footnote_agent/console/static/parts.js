// Small parts that every view uses.

import { Component } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { visible } from "./footnote-citations.js";
import { html } from "./html.js";
import { say, sayOr } from "./strings.js";
import { Told, ToldWith, around } from "./told.js";

const PATHS = {
  brand: "M4 6h9M4 11h7M4 16h9M16.6 6.4 19 5v7",
  ask: "M4 5h16v11H9l-5 4z",
  library: "M5 4h4v16H5zM11 4h4v16h-4zM17 5l3-.8 2 15-3 .8",
  search: "M10.5 4a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zM15.5 15.5 20 20",
  operate: "M4 19V9M10 19V5M16 19v-7M22 19H2",
  close: "M6 6l12 12M18 6 6 18",
  next: "M9 5l7 7-7 7",
  previous: "M15 5l-7 7 7 7",
  folder: "M3 6h6l2 2h10v11H3z",
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  plus: "M12 5v14M5 12h14",
  trash: "M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13",
  copy: "M8 8h11v12H8zM5 16V4h11",
  again: "M19 12a7 7 0 1 1-2-5M19 3v5h-5",
  edit: "M4 20l1-4L16 5l3 3L8 19z",
  link: "M10 14l4-4M8 12l-2 2a3.5 3.5 0 0 0 5 5l2-2M16 12l2-2a3.5 3.5 0 0 0-5-5l-2 2",
  stop: "M7 7h10v10H7z",
  send: "M12 19V6M6 11l6-6 6 6",
  clip: "M19 11.5 12 18.5a4.2 4.2 0 0 1-6-6L13.5 5a2.8 2.8 0 0 1 4 4L10 16.5a1.4 1.4 0 0 1-2-2L14.5 8",
  leave: "M10 4H5v16h5M14 8l4 4-4 4M18 12H9",
  upload: "M12 16V5M7 9l5-5 5 5M4 20h16",
};

export const Icon = ({ name }) => html`
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d=${PATHS[name]} /></svg>
`;

/** A sentence about what went wrong, for whoever reads it; nothing where the server alone can say what it is. */
function sentenceOf(error) {
  if (error.sentence) return error.sentence;
  if (error.status === 0) return say("common.offline");
  if (error.status === 401) return say("common.signedOut");
  if (error.status === 403) return say("common.forbidden");
  if (error.status === 404) return say("common.notFound");
  if (error.status === 429) return say("common.busy");
  if (error.status === 503) return say("common.unavailable");
  return sayOr(`problem.${error.status === 413 ? "too_large" : error.code}`, "");
}

/** What went wrong: in the words of the page, or in those of the server. */
export function Fault({ error }) {
  const said = sentenceOf(error);
  if (said) return said;
  const fields = (error.errors ?? []).map(({ field, message }, i) => html`${i ? "; " : ""}${field}: <${Told} text=${message} />`);
  return around("common.failed", "detail", fields.length ? fields : html`<${Told} text=${error.message} />`);
}

/** Why a document failed. A reason that the page cannot put into words has those of its code before it. */
export const Reason = ({ error: { reason, code } }) =>
  html`<${ToldWith} text=${reason} words=${sayOr(`reason.${code}`, "")} />`;

export const Problem = ({ error, onRetry }) =>
  error &&
  html`<p class="problem" role="alert">
    <${Fault} error=${error} /> ${onRetry && html`<button class="link" onClick=${onRetry}>${say("common.retry")}</button>`}
  </p>`;

/** Keeps a fault in one view from taking the others with it. */
export class Boundary extends Component {
  state = { error: null };

  static getDerivedStateFromError(error) {
    return { error };
  }

  render({ children }, { error }) {
    if (!error) return children;
    const again = () => this.setState({ error: null });
    return html`<main id="content" tabindex="-1" class="page"><${Problem} error=${error} onRetry=${again} /></main>`;
  }
}

/** What a request gives: `{data, error, again, set}`. A request whose reader has gone is broken off. */
export function useLoaded(load, dependencies) {
  const [state, setState] = useState({});
  const [round, setRound] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    setState((last) => ({ data: last.data, loading: true }));
    load(stop.signal).then(
      (data) => stop.signal.aborted || setState({ data }),
      (error) => stop.signal.aborted || setState((last) => ({ data: last.data, error })),
    );
    return () => stop.abort();
  }, [...dependencies, round]);
  return { ...state, again: () => setRound((n) => n + 1), set: (data) => setState({ data }) };
}

/** Runs now and then as long as the page is looked at. */
export function useEvery(ms, work, dependencies) {
  useEffect(() => {
    let timer = null;
    let over = false;
    const run = async () => {
      if (document.visibilityState === "visible") await work();
      if (!over) timer = setTimeout(run, ms);
    };
    if (ms) run();
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [ms, ...dependencies]);
}

/** A dialog of the browser: it keeps the focus and gives it back. */
export function Dialog({ name, onClose, children }) {
  const dialog = useRef();
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown.showModal(); // before the next key can be typed
    return () => shown.close(); // one that is taken away would keep the focus
  }, []);
  return html`<dialog ref=${dialog} class="sure" onClose=${onClose} aria-label=${name}>${children}</dialog>`;
}

/** A question with two answers. */
export const Sure = ({ text, yes, onYes, onNo }) => html`<${Dialog} name=${text} onClose=${onNo}>
  <p>${text}</p>
  <div class="row end">
    <button class="quiet" onClick=${onNo}>${say("common.cancel")}</button>
    <button class="danger" onClick=${onYes}>${yes}</button>
  </div>
<//>`;

/** Where something stands: `Handbook › Hotels · p. 3`. */
export function placeOf({ heading_path: headings = [], page_start: page, page_end: last }) {
  const pages =
    page == null
      ? ""
      : last != null && last !== page
        ? say("source.pages", { page: String(page), last: String(last) })
        : say("source.page", { page: String(page) });
  return [headings.join(" › "), pages].filter(Boolean).join(" · ");
}

/** Statuses of a document, or of an upload, in which something is being done. */
export const WORKING = new Set(["queued", "extracting", "chunking", "embedding", "indexing", "uploading", "deleting"]);

export function Badge({ status }) {
  const kind = WORKING.has(status) ? "working" : status === "refused" ? "failed" : status;
  const said = status === "uploading" || status === "refused" ? say(`library.${status}`) : say(`status.${status}`);
  return html`<span class=${`badge ${kind}`}>${said}</span>`;
}

/** A state in a word, with a point of its colour: `ok`, `weak`, `failed`, `working` or none. */
export const Mark = ({ kind, text }) => html`<span class=${`badge ${kind}`}>${text}</span>`;

/** Links between the parts of a view. `tabs` are `[name, address, words]`. */
export function Tabs({ name, tabs, current }) {
  const bar = useRef();
  useEffect(() => bar.current.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" }), [current]);
  return html`<nav ref=${bar} class="tabs" aria-label=${name}>
    ${tabs.map(([tab, href, words]) => html`<a key=${tab} href=${href} aria-current=${tab === current ? "page" : undefined}>${words}</a>`)}
  </nav>`;
}

/** A button that copies, and says so. */
export function Copied({ text }) {
  const [done, setDone] = useState(false);
  const copy = () => navigator.clipboard.writeText(text).then(() => setDone(true), () => setDone(false));
  return html`<button class="quiet" onClick=${copy}><${Icon} name="copy" /><span aria-live="polite">${say(done ? "answer.copied" : "answer.copy")}</span></button>`;
}

/** Text of a document as it is, with the signs of a heading in Markdown set back. */
export function readable(text) {
  return visible(text)
    .split(/^(#{1,6} .*)$/m)
    .map((part, i) => (i % 2 ? html`<b class="heading">${part.replace(/^#+ /, "")}</b>` : part));
}
