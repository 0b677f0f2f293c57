// Lanes: what is searched, the next version beside it, and what a person decides about both.

import { useState } from "preact/hooks";
import { get, post } from "../api.js";
import { visible } from "../footnote-citations.js";
import { html } from "../html.js";
import { Icon, Mark, Problem, Sure, useEvery, useLoaded } from "../parts.js";
import { duration, moment, number, say, sayOr } from "../strings.js";
import { Told } from "../told.js";
import { LaneForm } from "./lane_form.js";
import { OperateTabs } from "./operate_tabs.js";

const LOOK_EVERY_MS = 3000;
const COLOURS = { building: "working", checking: "working", switching: "working", ready: "weak", live: "ok", failed: "failed" };
const UNFINISHED = new Set(["building", "checking", "ready", "switching"]);
/** What may be asked of a version in its state. */
const ACTS = { building: ["cancel"], checking: ["cancel"], ready: ["switch", "cancel"], previous: ["rollback", "retire"] };

export function LanesView() {
  const lanes = useLoaded((signal) => get("/v1/lanes", { signal }), []);
  const [asked, setAsked] = useState(null);
  const [error, setError] = useState(null);
  const refused = lanes.error?.status === 403;
  useEvery(refused ? 0 : LOOK_EVERY_MS, lanes.again, [refused]);

  async function act({ lane, act: word }) {
    setAsked(null);
    setError(null);
    try {
      await post(`/v1/lanes/${encodeURIComponent(lane.name)}:${word}`);
    } catch (problem) {
      setError(problem);
    }
    lanes.again();
  }

  return html`<main id="content" tabindex="-1" class="page">
    <${OperateTabs} current="lanes" />
    <p class="hint">${say("lanes.lead")}</p>
    ${refused ? html`<p class="note">${say("lanes.operatorOnly")}</p>` : html`<${Problem} error=${error ?? lanes.error} onRetry=${lanes.again} />`}
    ${lanes.data && !lanes.data.items.length && html`<p class="note">${say("lanes.none")}</p>`}
    ${!refused && (lanes.data?.items ?? []).map((lane) => html`<${Lane} key=${lane.name} lane=${lane} onAct=${setAsked} onBegun=${lanes.again} />`)}
    ${asked &&
    html`<${Sure} text=${say(`lanes.sure.${asked.act}`, { name: visible(asked.lane.name), number: asked.version.number })} yes=${say(`lanes.${asked.act}`)}
      onYes=${() => act(asked)} onNo=${() => setAsked(null)} />`}
  </main>`;
}

function Lane({ lane, onAct, onBegun }) {
  const open = lane.versions.some(({ status }) => UNFINISHED.has(status));
  return html`<section class="lane" aria-label=${visible(lane.name)}>
    <h2 dir="auto">${visible(lane.name)}</h2>
    ${!open && !lane.follows && html`<${LaneForm} lane=${lane} onBegun=${onBegun} />`}
    <ol class="versions">
      ${lane.versions.map((version) => html`<${Version} key=${version.number} lane=${lane} version=${version} onAct=${onAct} />`)}
    </ol>
  </section>`;
}

function Version({ lane, version, onAct }) {
  const { status, checks } = version;
  const building = status === "building";
  const name = say("lanes.version", { number: version.number });
  return html`<li>
    <p class="row"><strong>${name}</strong><${Mark} kind=${COLOURS[status] ?? ""} text=${sayOr(`lanes.status.${status}`, status)} />
      <code dir="auto">${visible(version.model)}</code></p>
    <small>${[
      version.dimension && say("lanes.dimension", { count: version.dimension }),
      version.live_at ? say("lanes.liveSince", { at: moment(version.live_at) }) : say("lanes.begun", { at: moment(version.created_at) }),
      version.changes > 0 && say("lanes.changes", { count: version.changes }),
      UNFINISHED.has(status) && say(version.takes_over ? "lanes.byItself" : "lanes.byHand"),
    ].filter(Boolean).join(" · ")}</small>
    ${building &&
    html`<progress max=${Math.max(1, version.chunks_total)} value=${version.chunks} aria-label=${name}></progress>
      <p class="hint">${[
        say("lanes.progress", { chunks: version.chunks, all: version.chunks_total, documents: version.documents, documentsAll: version.documents_total }),
        version.per_second != null && say("lanes.rate", { rate: version.per_second }),
        version.seconds_left != null && say("lanes.left", { left: duration(version.seconds_left * 1000) }),
      ].filter(Boolean).join(" · ")}</p>`}
    ${version.reason && html`<p class=${status === "failed" ? "bad" : "note"} dir="auto"><${Told} text=${version.reason} /></p>`}
    ${checks && html`<${Comparison} checks=${checks} />`}
    ${!lane.follows && ACTS[status] &&
    html`<p class="row actions">${ACTS[status].map((act) => html`<button class="quiet" aria-label=${`${say(`lanes.${act}`)}: ${visible(lane.name)}, ${name}`} onClick=${() => onAct({ lane, version, act })}>${say(`lanes.${act}`)}</button>`)}</p>`}
  </li>`;
}

/** What was found when both versions were asked the same, before the switch. */
function Comparison({ checks }) {
  const share = (value) => (value == null ? null : `${number(Math.round(value * 1000) / 10)} %`);
  const rows = [
    ["points", checks.expected != null && say("lanes.pointsFound", { found: checks.found ?? 0, expected: checks.expected })],
    ["mended", checks.lacking + checks.orphans > 0 && say("lanes.mendedCount", { lacking: checks.lacking, orphans: checks.orphans })],
    ["sampled", checks.sampled > 0 && say("lanes.sampledCount", { count: checks.sampled, least: checks.least_cosine ?? 0 })],
    ["cut", checks.cut > 0 && number(checks.cut)],
    ["queries", checks.queries > 0 && number(checks.queries)],
    ["overlap", share(checks.overlap)],
    ["firstKept", share(checks.first_kept)],
    ["rankChange", checks.rank_change != null && number(checks.rank_change)],
    ["ndcg", checks.ndcg_live != null && checks.ndcg_next != null && say("lanes.ndcgBoth", { live: checks.ndcg_live, next: checks.ndcg_next, judged: checks.judged })],
  ].filter(([, value]) => value);
  if (!rows.length) return null;
  return html`<details open><summary>${say("lanes.comparison")}</summary>
    <dl class="figures">${rows.map(([name, value]) => html`<div><dt>${say(`lanes.${name}`)}</dt><dd>${value}</dd></div>`)}</dl></details>`;
}
