// The way of the candidates through a search: what came into each step, what of it went on, and why the others left.

import { visible } from "../footnote-citations.js";
import { html } from "../html.js";
import { duration, number, say, sayOr } from "../strings.js";

/** Notes that say something to people, in this order; a step has few of them. */
const NOTES = ["dense", "sparse", "facts", "method", "way", "cycle", "passed", "asked", "not_live", "other_words", "reranker", "evidence", "enough", "failed"];
/** Notes that are true or false: only one of the two is worth a word. */
const MARKS = { cached: true, clipped: true, sufficient: false, no_room: true };
const MOST_NAMED = 20;

/** What a step is called, for people. */
export const stepName = (stage) => sayOr(`step.${stage}`, stage);

/** Each step as a bar: what came in, and of it what went on. `candidates` are those that it names one by one. */
export function Funnel({ steps, candidates }) {
  const most = Math.max(1, ...steps.flatMap(({ taken, given }) => [taken, given]));
  return html`<details class="funnel" open>
    <summary>${say("search.funnel")}</summary>
    <table>
      <thead><tr><th>${say("search.step")}</th><th class="bar"><span class="hidden">${say("search.out")}</span></th><th class="num">${say("search.in")}</th><th class="num">${say("search.out")}</th><th class="num">${say("search.time")}</th></tr></thead>
      <tbody>
        ${steps.map(
          (step) => html`<tr key=${step.stage}>
            <th scope="row">${stepName(step.stage)} ${stepName(step.stage) !== step.stage && html`<code>${step.stage}</code>`}
              ${notesOf(step) && html`<small>${notesOf(step)}</small>`}
              <${Left} candidates=${candidates.filter((one) => one.left_at === step.stage)} /></th>
            <td class="bar"><svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
              <rect class="left" x="0" y="1" height="8" width=${(step.taken / most) * 100} rx="1" />
              <rect class="kept" x="0" y="1" height="8" width=${(step.given / most) * 100} rx="1" /></svg></td>
            <td class="num">${number(step.taken)}</td><td class="num">${number(step.given)}</td><td class="num">${duration(step.ms)}</td>
          </tr>`,
        )}
      </tbody>
    </table>
  </details>`;
}

/** Those that left at a step, by why they did, with their titles on a click. */
function Left({ candidates }) {
  const reasons = grouped(candidates);
  return [...reasons].map(
    ([why, gone]) => html`<details class="gone"><summary>${say("search.left", { count: gone.length })} ${sayOr(`search.left.${why}`, "")}</summary>
      <ol>${gone.slice(0, MOST_NAMED).map((one) => html`<li><a href=${`#/library/document/${one.document_id}/${one.chunk_id}`} dir="auto">${visible(one.title)}</a>
        <small>${say("search.rank.fused")} ${one.ranks.fused}</small></li>`)}</ol></details>`,
  );
}

function grouped(candidates) {
  const found = new Map();
  for (const one of candidates) found.set(one.why, [...(found.get(one.why) ?? []), one]);
  return found;
}

function notesOf({ notes = {} }) {
  const shown = (value) => (typeof value === "number" ? number(value) : visible(String(value)));
  const figures = NOTES.filter((name) => ["string", "number"].includes(typeof notes[name]) && notes[name] !== "")
    .filter((name) => notes[name] !== 0 || name === "dense" || name === "sparse")
    .map((name) => say(`note.${name}`, { value: shown(notes[name]) }));
  const marks = Object.keys(MARKS).filter((name) => notes[name] === MARKS[name]).map((name) => say(`note.${name}`));
  return [...figures, ...marks].join(" · ");
}
