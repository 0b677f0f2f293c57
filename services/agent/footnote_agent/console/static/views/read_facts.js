// Facts that a model has read from a document, each with the way to the passage that says it.

import { get } from "../api.js";
import { visible } from "../footnote-citations.js";
import { html } from "../html.js";
import { Problem, useLoaded } from "../parts.js";
import { say } from "../strings.js";
import { Told, around } from "../told.js";

const MOST_SHOWN = 50;

export function ReadFacts({ documentId }) {
  const facts = useLoaded((signal) => get(`/v1/documents/${documentId}/facts`, { signal }), [documentId]);
  const { fact_extraction_status: status, reason, items = [] } = facts.data ?? {};
  if (!facts.error && (!status || status === "not_applicable")) return null;
  return html`<section class="read-facts" aria-label=${say("document.read")}>
    <h2>${say("document.read")}</h2>
    <${Problem} error=${facts.error} onRetry=${facts.again} />
    ${status === "queued" && html`<p class="hint">${say("document.readQueued")}</p>`}
    ${status === "failed" && html`<p class="bad" dir="auto">${around("document.readFailed", "reason", html`<${Told} text=${reason} />`)}</p>`}
    <ul>
      ${items.slice(0, MOST_SHOWN).map(
        (one) => html`<li key=${one.id}><span dir="auto" title=${visible(one.quote)}>${visible(one.text)}</span>${" "}
          <a href=${passage(one.source_ref)}>${say("document.passage")}</a>
          ${one.also_in.length > 0 && html`<small>${say("document.alsoIn")} ${one.also_in.map((ref, i) => html`${i ? ", " : ""}<a href=${passage(ref)} dir="auto">${visible(ref.title)}</a>`)}</small>`}</li>`,
      )}
    </ul>
  </section>`;
}

const passage = (ref) => `#/library/document/${ref.document_id}/${ref.chunk_id}`;
