// Search: the passages with their ranks, and the way that they came. Two settings can stand side by side.

import { useEffect, useState } from "preact/hooks";
import { allOf, post } from "../api.js";
import { visible } from "../footnote-citations.js";
import { html } from "../html.js";
import { Problem, placeOf, readable, useLoaded } from "../parts.js";
import { duration, number, say } from "../strings.js";
import { withoutTitle } from "./source_names.js";

const FUSIONS = ["weighted_blend", "rrf", "dbsf", "dense_only", "sparse_only"];
const RANKS = ["dense", "sparse", "fused", "reranked"];

/** An address such as `#/search/WORDS` searches for its words at once. */
export function SearchView({ path: [given = ""] }) {
  const [query, setQuery] = useState(given);
  const [preset, setPreset] = useState("");
  const [fusion, setFusion] = useState("");
  const [topK, setTopK] = useState("");
  const [against, setAgainst] = useState("");
  const [results, setResults] = useState([]);
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const presets = useLoaded(() => allOf("/v1/presets"), []);

  useEffect(() => {
    if (!given) return;
    setQuery(given);
    search(null, given);
  }, [given]);

  async function search(event, words = query) {
    event?.preventDefault();
    if (!words.trim() || busy) return;
    setBusy(true);
    setError(null);
    const ask = async (chosen) => {
      const settings = { ...(chosen ? { fusion: chosen } : {}), ...(topK ? { top_k: Number(topK) } : {}) };
      const body = { query: words.trim(), explain: true, settings, ...(preset ? { preset } : {}) };
      return { name: chosen, ...(await post("/v1/search", body)) };
    };
    try {
      setResults(await Promise.all([ask(fusion), ...(against ? [ask(against)] : [])]));
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  }

  const options = (none) => html`<option value="">${none}</option>
    ${FUSIONS.map((name) => html`<option value=${name}>${name}</option>`)}`;
  return html`<main id="content" tabindex="-1" class="page">
    <h1>${say("search.title")}</h1>
    <form class="search-form" role="search" onSubmit=${search}>
      <input type="search" data-first-field dir="auto" placeholder=${say("search.placeholder")} aria-label=${say("search.placeholder")}
        value=${query} onInput=${(e) => setQuery(e.target.value)} />
      <button class="primary" disabled=${busy || !query.trim()}>${say("search.do")}</button>
      <div class="row">
        <label>${say("search.preset")}
          <select value=${preset} onChange=${(e) => setPreset(e.target.value)}>
            ${(presets.data ?? [{ name: "default" }]).map(({ name }) => html`<option value=${name === "default" ? "" : name}>${visible(name)}</option>`)}
          </select></label>
        <label>${say("search.fusion")}
          <select value=${fusion} onChange=${(e) => setFusion(e.target.value)}>${options(say("search.asPreset"))}</select></label>
        <label>${say("search.compare")}
          <select value=${against} onChange=${(e) => setAgainst(e.target.value)}>${options(say("search.nothing"))}</select></label>
        <label>${say("search.topK")}
          <input type="number" min="1" max="100" placeholder="8" value=${topK} onInput=${(e) => setTopK(e.target.value)} /></label>
      </div>
    </form>
    <${Problem} error=${error ?? presets.error} onRetry=${() => search()} />
    <div class="columns" aria-busy=${busy}>
      ${results.map((result, i) => html`<${Result} key=${i} result=${result} heading=${results.length > 1} others=${results[1 - i]} />`)}
    </div>
  </main>`;
}

function Result({ result, heading, others }) {
  const { passages } = result;
  return html`<section aria-label=${result.settings.fusion}>
    ${heading && html`<h2>${result.settings.fusion}</h2>`}
    <p class="hint" role="status">${say("search.passages", { count: passages.length })}${result.left_out ? ` · ${say("search.leftOut", { count: result.left_out })}` : ""} · ${duration(result.timings_ms.total ?? 0)}</p>
    ${!passages.length && html`<p class="note">${say("search.none")}</p>`}
    ${passages.length > 0 && !result.sufficient && html`<p class="note">${say("search.insufficient")}</p>`}
    ${result.degraded.length > 0 && html`<p class="note">${say("search.degraded", { parts: result.degraded.join(", ") })}</p>`}
    ${result.explanation && html`<${Funnel} steps=${result.explanation} />`}
    ${passages.map((passage, i) => html`<${Passage} key=${passage.chunk_id} passage=${passage} n=${i + 1} elsewhere=${others && rankIn(others, passage)} />`)}
  </section>`;
}

const rankIn = (result, { chunk_id: id }) => result.passages.findIndex((one) => one.chunk_id === id) + 1;

/** Each step as a bar: what came in, and of it what went on. */
function Funnel({ steps }) {
  const most = Math.max(1, ...steps.flatMap(({ taken, given }) => [taken, given]));
  return html`<details class="funnel" open>
    <summary>${say("search.funnel")}</summary>
    <table>
      <thead><tr><th>${say("search.step")}</th><th class="bar"><span class="hidden">${say("search.out")}</span></th><th class="num">${say("search.in")}</th><th class="num">${say("search.out")}</th><th class="num">${say("search.time")}</th></tr></thead>
      <tbody>
        ${steps.map(
          (step) => html`<tr key=${step.stage}>
            <th scope="row">${step.stage}${notesOf(step) && html`<small>${notesOf(step)}</small>`}</th>
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

const notesOf = ({ notes = {} }) =>
  visible(
    Object.entries(notes)
      .filter(([, value]) => ["string", "number", "boolean"].includes(typeof value))
      .map(([name, value]) => `${name.replaceAll("_", " ")} ${typeof value === "number" ? number(value) : value}`)
      .join(" · "),
  );

const Passage = ({ passage, n, elsewhere }) => html`<article class="result">
  <span class="n">${n}</span>
  <h2 dir="auto"><a href=${`#/library/document/${passage.document_id}/${passage.chunk_id}`}>${visible(passage.title)}</a></h2>
  <small dir="auto">${visible(placeOf({ ...passage, heading_path: withoutTitle(passage) }))}</small>
  <p class="text" dir="auto" tabindex="0">${readable(passage.text)}</p>
  <p class="ranks">
    ${passage.similarity !== undefined && html`<span>${say("search.similarity")} ${number(passage.similarity)}</span>`}
    <span>${say("search.score")} ${passage.score.toPrecision(3)}</span>
    ${RANKS.filter((name) => passage.ranks[name] != null || name === "dense" || name === "sparse").map(
      (name) => html`<span>${say(`search.rank.${name}`)} ${passage.ranks[name] ?? say("search.notRanked")}</span>`,
    )}
    ${elsewhere !== undefined && html`<strong>⇄ ${elsewhere || "–"}</strong>`}
  </p>
</article>`;
