// The receipt of a deletion: nobody finds the document from this moment on, and what was stored of it goes after.

import { useState } from "preact/hooks";
import { get } from "../api.js";
import { visible } from "../footnote-citations.js";
import { html } from "../html.js";
import { Problem, useEvery } from "../parts.js";
import { moment, say } from "../strings.js";

const LOOK_EVERY_MS = 2000;
const STORES = ["rows", "vectors", "blobs", "originals", "facts"];

/** `document` is the one that was deleted, as the server told of it before. */
export function Receipt({ document }) {
  const [receipt, setReceipt] = useState(null);
  const [error, setError] = useState(null);
  const gone = receipt?.gone_at;
  useEvery(gone ? 0 : LOOK_EVERY_MS, async () => {
    try {
      setReceipt(await get(`/v1/documents/${document.id}/receipt`));
      setError(null);
    } catch (problem) {
      setError(problem);
    }
  }, [document.id]);
  const counts = STORES.filter((name) => receipt?.removed[name]).map((name) => say(`receipt.${name}`, { count: receipt.removed[name] }));
  const parts = receipt?.children ? ` ${say("receipt.parts", { count: receipt.children })}` : "";
  return html`<div class="note receipt" role="status">
    <p>${say("receipt.deleted", { title: visible(document.title) })}${parts}</p>
    ${receipt && !gone && html`<p class="hint">${say("receipt.going")}</p>`}
    ${gone && html`<p class="hint">${say("receipt.gone", { at: moment(gone), counts: counts.join(", ") || say("receipt.nothing") })}</p>`}
    <${Problem} error=${error} />
  </div>`;
}
