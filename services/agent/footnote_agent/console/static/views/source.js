// A source beside the answer: the passage in its surroundings, and what became of it since it was shown.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { get, openOriginal } from "../api.js";
import { visible } from "../footnote-citations.js";
import { blocksOf, cutAtRanges, directionOf, wordDiff } from "../highlight.js";
import { html } from "../html.js";
import { Icon, Problem, placeOf, readable, useLoaded } from "../parts.js";
import { say } from "../strings.js";
import { withoutTitle } from "./source_names.js";

/** `path` is where the citation is asked for, `onGone` hears that it is not there. */
export function SourcePanel({ path, exchange, n, onClose, onStep, onGone }) {
  const panel = useRef();
  const [error, setError] = useState(null);
  const loaded = useLoaded((signal) => get(path, { signal }), [path]);
  useLayoutEffect(() => panel.current.focus({ preventScroll: true }), []);
  const pill = loaded.data;
  useEffect(() => {
    if (loaded.error?.status === 404) onGone?.();
  }, [loaded.error]);
  useEffect(() => {
    const passage = panel.current.querySelector(".passage");
    const body = panel.current.querySelector(".source-body");
    if (passage && body) body.scrollTop = passage.offsetTop - body.offsetTop - body.clientHeight / 5;
  }, [pill]);
  const entry = exchange.answer.entries[n];
  const display = pill?.display ?? entry?.display ?? {};
  const place = { ...(pill?.place ?? display) };
  place.heading_path = withoutTitle({ title: display.title, heading_path: place.heading_path });
  const title = display.title || display.source || "";
  return html`<aside ref=${panel} class="source" tabindex="-1" aria-label=${say("source.title", { n: String(n) })}>
    <header>
      <span class="n">${n}</span>
      <div class="what">
        <h2 dir="auto">${visible(title)}</h2>
        <p dir="auto">${visible(placeOf(place)) || visible(display.source ?? "")}</p>
      </div>
      <div class="row">
        <button class="quiet" aria-label=${say("source.previous")} title=${`${say("source.previous")} (k)`} onClick=${() => onStep(-1)}><${Icon} name="previous" /></button>
        <button class="quiet" aria-label=${say("source.next")} title=${`${say("source.next")} (j)`} onClick=${() => onStep(1)}><${Icon} name="next" /></button>
        <button class="quiet" aria-label=${say("source.close")} title=${`${say("source.close")} (Esc)`} onClick=${onClose}><${Icon} name="close" /></button>
      </div>
    </header>
    <${Problem} error=${loaded.error ?? error} onRetry=${loaded.error ? loaded.again : null} />
    ${!pill && !loaded.error && html`<p class="hint" role="status">${say("common.loading")}…</p>`}
    ${pill && html`<${State} pill=${pill} entry=${entry} onRetry=${loaded.again} />`}
    ${pill?.quote !== undefined && html`<${Passage} pill=${pill} excerpts=${entry?.excerpts ?? []} same=${entry?.quote === pill.quote} />`}
    ${pill && html`<${Ways} pill=${pill} onError=${setError} />`}
  </aside>`;
}

/** What became of the source, in one sentence. */
function State({ pill, entry, onRetry }) {
  const kind = pill.status === "current" && !pill.checked ? "unchecked" : pill.status;
  return html`<div class=${`state ${kind}`} role="status">
    <p>${say(`source.${kind}`)}
      ${kind === "unknown" && html` <button class="link" onClick=${onRetry}>${say("common.retry")}</button>`}</p>
    ${kind === "forbidden" && html`<p class="hint">${say("source.forbiddenWhat")}</p>`}
    ${entry?.origin === "injected" && html`<p class="hint">${say("source.injected")}</p>`}
  </div>`;
}

function Passage({ pill, excerpts, same }) {
  const ordinal = pill.place?.ordinal ?? Infinity;
  const context = pill.context ?? [];
  const before = context.filter((chunk) => chunk.ordinal < ordinal);
  const after = context.filter((chunk) => chunk.ordinal > ordinal);
  return html`<div class="source-body" tabindex="0">
    ${before.map((chunk) => html`<${Nearby} key=${chunk.chunk_id} text=${chunk.text} />`)}
    ${pill.status === "changed" && pill.current_text !== undefined
      ? html`<${Changed} before=${pill.quote} now=${pill.current_text} />`
      : html`<blockquote class="passage" dir="auto">
          <${Drawn} text=${pill.quote} ranges=${same ? excerpts : []} />
        </blockquote>`}
    ${after.map((chunk) => html`<${Nearby} key=${chunk.chunk_id} text=${chunk.text} />`)}
  </div>`;
}

const Nearby = ({ text }) => html`<div class="nearby" dir="auto"><${Drawn} text=${text} /></div>`;

/** A text with its tables as tables, and what stands in the ranges marked. */
const Drawn = ({ text, ranges = [] }) =>
  blocksOf(text).map((block) => (block.rows ? html`<table dir=${directionOf(block.rows.flat().map((cell) => cell.text).join(" "))}>${block.rows.map((row, i) => drawnRow(row, i, ranges))}</table>` : marked(block, ranges)));

const drawnRow = (cells, i, ranges) => html`<tr>
  ${cells.map((cell) => html`<${i === 0 && cell.text.trim() ? "th" : "td"} dir="auto">${marked(cell, ranges, ofCell)}<//>`)}
</tr>`;

const marked = ({ text, from }, ranges, shown = readable) =>
  cutAtRanges(text, ranges.map((range) => range.map((at) => at - from))).map((part) => (part.marked ? html`<mark>${shown(part.text)}</mark>` : shown(part.text)));

/** A bar within a cell stands behind a stroke. */
const ofCell = (text) => visible(text.replaceAll("\\|", "|"));

/** The signs of headings say nothing about what changed. */
const withoutSigns = (text) => text.replace(/^#{1,6} /gm, "");

const Changed = ({ before, now }) => html`<blockquote class="passage changed" dir="auto">
  ${wordDiff(withoutSigns(before), withoutSigns(now)).map(({ text, kind }) =>
    kind === "same" ? visible(text) : kind === "gone" ? html`<del>${visible(text)}</del>` : html`<ins>${visible(text)}</ins>`,
  )}
</blockquote>`;

/** The ways to the source itself: a page of the web as a link, a document by its key. */
function Ways({ pill, onError }) {
  const address = pill.document_url ?? "";
  const documentId = pill.locator?.document_id;
  const session = pill.locator?.session_id; // a file of this conversation lies in no library
  const headers = session ? { "Footnote-Session": session } : undefined;
  const stillThere = pill.status !== "deleted" && pill.status !== "forbidden" && pill.status !== "unknown";
  return html`<footer class="row">
    ${address.startsWith("/v1/") &&
    html`<button class="quiet" onClick=${() => openOriginal(address, pill.display?.source, headers).catch(onError)}><${Icon} name="file" />${say("source.open")}</button>`}
    ${/^https?:\/\//i.test(address) &&
    html`<a class="button quiet" href=${address} target="_blank" rel="noopener noreferrer nofollow"><${Icon} name="link" />${visible(new URL(address).host)}</a>`}
    ${documentId && !session && stillThere &&
    html`<a class="button quiet" href=${`#/library/document/${documentId}/${pill.place?.chunk_id ?? ""}`}><${Icon} name="library" />${say("source.document")}</a>`}
  </footer>`;
}
