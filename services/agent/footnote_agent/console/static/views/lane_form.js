// The next version of a lane: which model makes it, what it is compared by, and who decides on the switch.

import { useState } from "preact/hooks";
import { post } from "../api.js";
import { visible } from "../footnote-citations.js";
import { html } from "../html.js";
import { Problem } from "../parts.js";
import { say } from "../strings.js";

const LONGEST_QUERY = 2000;
const MOST_QUERIES = 200;

export function LaneForm({ lane, onBegun }) {
  const live = lane.versions.find(({ number }) => number === lane.live)?.model;
  const [model, setModel] = useState("");
  const [byItself, setByItself] = useState(false);
  const [overlap, setOverlap] = useState("0.5");
  const [queries, setQueries] = useState("");
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const id = `lane-${lane.name}`;

  async function begin(event) {
    event.preventDefault();
    setBusy(true);
    setError(null);
    const lines = queries.split("\n").map((line) => line.trim().slice(0, LONGEST_QUERY)).filter(Boolean);
    try {
      await post(`/v1/lanes/${encodeURIComponent(lane.name)}:reembed`, {
        model: model || undefined,
        queries: lines.slice(0, MOST_QUERIES).map((query) => ({ query })),
        switch: byItself,
        min_overlap: byItself ? Number(overlap) : 0,
      });
      onBegun();
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  }

  return html`<details class="maker"><summary class="button" aria-label=${`${say("lanes.reembed")}: ${visible(lane.name)}`}>${say("lanes.reembed")}</summary>
    <form class="form" onSubmit=${begin}>
      <p class="hint">${say("lanes.reembedLead")}</p>
      <label><span>${say("lanes.model")}</span>
        <select value=${model} onChange=${(e) => setModel(e.target.value)}>
          <option value="">${say("lanes.sameModel", { model: visible(live ?? "") })}</option>
          ${lane.models.filter((one) => one !== live).map((one) => html`<option value=${one}>${visible(one)}</option>`)}
        </select></label>
      <div><label for=${`${id}-queries`}><span>${say("lanes.ask")} <small>${say("connectors.optional")}</small></span></label>
        <textarea id=${`${id}-queries`} rows="3" dir="auto" aria-describedby=${`${id}-queries-hint`} value=${queries} onInput=${(e) => setQueries(e.target.value)} />
        <small id=${`${id}-queries-hint`} class="hint">${say("lanes.askHint")}</small></div>
      <label class="check"><input type="checkbox" checked=${byItself} onChange=${(e) => setByItself(e.target.checked)} /> ${say("lanes.switchByItself")}</label>
      ${byItself &&
      html`<label><span>${say("lanes.minOverlap")}</span>
        <input type="number" min="0" max="1" step="any" required value=${overlap} onInput=${(e) => setOverlap(e.target.value)} /></label>`}
      <${Problem} error=${error} />
      <div class="row"><button class="primary" disabled=${busy}>${say("lanes.begin")}</button></div>
    </form>
  </details>`;
}
