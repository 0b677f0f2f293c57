// Search: the passages with their ranks, and the way that they came. Two presets or settings can stand side by side.

import { useEffect, useState } from "preact/hooks";
import { allOf, post } from "../api.js";
import { visible } from "../footnote-citations.js";
import { html } from "../html.js";
import { Problem, placeOf, readable, useLoaded } from "../parts.js";
import { duration, number, say } from "../strings.js";
import { Expect, Expected } from "./expected.js";
import { Funnel } from "./funnel.js";
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
  const [wanted, setWanted] = useState(null);
  const presets = useLoaded(() => allOf("/v1/presets"), []);

  useEffect(() => {
    if (!given) return;
    setQuery(given);
    search(null, given);
  }, [given]);

  async function search(event, words = query, expect = wanted) {
    event?.preventDefault();
    if (!words.trim() || busy) return;
    setBusy(true);
    setError(null);
    const ask = (by) => {
      const settings = { ...(by.fusion ? { fusion: by.fusion } : {}), ...(topK ? { top_k: Number(topK) } : {}) };
      const named = { ...(by.preset ? { preset: by.preset } : {}), ...(expect ? { expect: expect.id } : {}) };
      return post("/v1/search", { query: words.trim(), explain: true, settings, ...named });
    };
    const [what, name] = against.split(/:(.*)/s);
    const other = what === "preset" ? { preset: name } : { preset, fusion: name };
    try {
      setResults(await Promise.all([ask({ preset, fusion }), ...(against ? [ask(other)] : [])]));
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  }

  function expectIt(document) {
    setWanted(document);
    search(null, query, document);
  }

  const named = presets.data ?? [{ name: "default" }];
  return html`<main id="content" tabindex="-1" class="page">
    <h1>${say("search.title")}</h1>
    <form class="search-form" role="search" onSubmit=${search}>
      <input type="search" data-first-field dir="auto" placeholder=${say("search.placeholder")} aria-label=${say("search.placeholder")}
        value=${query} onInput=${(e) => setQuery(e.target.value)} />
      <button class="primary" disabled=${busy || !query.trim()}>${say("search.do")}</button>
      <div class="row">
        <label>${say("search.preset")}
          <select value=${preset} onChange=${(e) => setPreset(e.target.value)}>
            ${named.map(({ name }) => html`<option value=${name === "default" ? "" : name}>${visible(name)}</option>`)}
          </select></label>
        <label>${say("search.fusion")}
          <select value=${fusion} onChange=${(e) => setFusion(e.target.value)}>
            <option value="">${say("search.asPreset")}</option>
            ${FUSIONS.map((name) => html`<option value=${name}>${name}</option>`)}
          </select></label>
        <label>${say("search.compare")}
          <select value=${against} onChange=${(e) => setAgainst(e.target.value)}>
            <option value="">${say("search.nothing")}</option>
            <optgroup label=${say("search.preset")}>${named.map(({ name }) => html`<option value=${`preset:${name}`}>${visible(name)}</option>`)}</optgroup>
            <optgroup label=${say("search.fusion")}>${FUSIONS.map((name) => html`<option value=${`fusion:${name}`}>${name}</option>`)}</optgroup>
          </select></label>
        <label>${say("search.topK")}
          <input type="number" min="1" max="100" placeholder="8" value=${topK} onInput=${(e) => setTopK(e.target.value)} /></label>
      </div>
    </form>
    <${Problem} error=${error ?? presets.error} onRetry=${() => search()} />
    ${results.length > 0 && html`<${Expect} wanted=${wanted} onWanted=${expectIt} />`}
    <div class="columns" aria-busy=${busy}>
      ${results.map((result, i) => html`<${Result} key=${i} result=${result} heading=${results.length > 1} others=${results[1 - i]} wanted=${wanted} />`)}
    </div>
  </main>`;
}

function Result({ result, heading, others, wanted }) {
  const { passages } = result;
  const name = visible([result.preset, result.settings.fusion].join(" · "));
  return html`<section aria-label=${name}>
    ${heading && html`<h2>${name}</h2>`}
    ${result.expected && html`<${Expected} expected=${result.expected} title=${wanted?.id === result.expected.document_id ? wanted.title : ""} />`}
    <p class="hint" role="status">${say("search.passages", { count: passages.length })}${result.left_out ? ` · ${say("search.leftOut", { count: result.left_out })}` : ""} · ${duration(result.timings_ms.total ?? 0)}</p>
    ${!passages.length && html`<p class="note">${say("search.none")}</p>`}
    ${passages.length > 0 && !result.sufficient && html`<p class="note">${say("search.insufficient")}</p>`}
    ${result.degraded.length > 0 && html`<p class="note">${say("search.degraded", { parts: result.degraded.join(", ") })}</p>`}
    ${result.explanation && html`<${Funnel} steps=${result.explanation} candidates=${result.candidates ?? []} />`}
    ${passages.map((passage, i) => html`<${Passage} key=${passage.chunk_id} passage=${passage} n=${i + 1} elsewhere=${others && rankIn(others, passage)} />`)}
  </section>`;
}

const rankIn = (result, { chunk_id: id }) => result.passages.findIndex((one) => one.chunk_id === id) + 1;

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
