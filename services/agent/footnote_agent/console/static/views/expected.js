// Why is a document not found? It is chosen by its name, and each search says what became of it.

import { useState } from "preact/hooks";
import { get, withQuery } from "../api.js";
import { visible } from "../footnote-citations.js";
import { html } from "../html.js";
import { Problem, useLoaded } from "../parts.js";
import { say, sayOr } from "../strings.js";
import { toldText } from "../told.js";
import { stepName } from "./funnel.js";

const MOST = 8;

/** `wanted` is the document that was chosen, or null; `onWanted` gets the next one, or null. */
export function Expect({ wanted, onWanted }) {
  const [words, setWords] = useState("");
  const asked = words.trim();
  const search = (signal) => get(withQuery("/v1/documents", { q: asked, limit: MOST }), { signal });
  const found = useLoaded((signal) => (asked ? search(signal) : Promise.resolve({ items: [] })), [asked]);
  const items = asked ? (found.data?.items ?? []) : [];
  return html`<details class="expect" open=${Boolean(wanted)}>
    <summary>${say("search.why")}</summary>
    <input type="search" dir="auto" placeholder=${say("library.find")} aria-label=${say("search.whyWhich")} value=${words} onInput=${(e) => setWords(e.target.value)} />
    <${Problem} error=${found.error} onRetry=${found.again} />
    ${asked && found.data && !found.loading && !items.length && html`<p class="hint" role="status">${say("library.noMatch")}</p>`}
    <ul>
      ${items.map(
        (one) => html`<li key=${one.id}><button class="link" aria-pressed=${wanted?.id === one.id} dir="auto" onClick=${() => onWanted(one)}>${visible(one.title)}</button>
          <small dir="auto">${visible(one.folder === "/" ? one.filename : `${one.folder}/${one.filename}`)}</small></li>`,
      )}
    </ul>
    ${wanted && html`<p><button class="quiet" onClick=${() => onWanted(null)}>${say("search.whyEnd")}</button></p>`}
  </details>`;
}

/** What became of the document in one search, in a sentence. */
export function Expected({ expected, title }) {
  const { outcome, step, why, rank } = expected;
  const said = sayOr(`search.expected.${outcome}`, toldText(expected.detail), { step: step ? stepName(step) : "", rank: rank ?? "–" });
  return html`<p class="note" role="status">${title && html`<strong dir="auto">${visible(title)}</strong>`} ${said} ${why && sayOr(`search.left.${why}`, "")}</p>`;
}
