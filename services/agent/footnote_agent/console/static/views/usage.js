// Usage: what the workspace holds of what it may, and what was asked in the last days, by whom.

import { useState } from "preact/hooks";
import { get, withQuery } from "../api.js";
import { visible } from "../footnote-citations.js";
import { html } from "../html.js";
import { Problem, useLoaded } from "../parts.js";
import { bytes, cost, day, number, say } from "../strings.js";
import { OperateTabs } from "./operate_tabs.js";

const SPANS = ["7", "30", "90"];

export function UsageView() {
  const [span, setSpan] = useState("30");
  const held = useLoaded((signal) => get("/v1/documents:usage", { signal }), []);
  const asked = useLoaded((signal) => get(withQuery("/v1/turns:usage", { days: span }), { signal }), [span]);
  const again = () => (held.again(), asked.again());
  return html`<main id="content" tabindex="-1" class="page">
    <${OperateTabs} current="usage" />
    <${Problem} error=${held.error ?? asked.error} onRetry=${again} />
    ${held.data &&
    html`<div class="tiles">
      <${Held} name=${say("operate.documents")} value=${held.data.documents} most=${held.data.documents_limit} shown=${number} />
      <${Held} name=${say("usage.files")} value=${held.data.bytes} most=${held.data.bytes_limit} shown=${bytes} />
      <section class="tile"><h2>${say("library.chunks")}</h2><p class="figure">${number(held.data.chunks)}</p></section>
    </div>`}
    <p class="row"><label>${say("usage.span")}${" "}
      <select value=${span} onChange=${(e) => setSpan(e.target.value)}>${SPANS.map((one) => html`<option value=${one}>${say("usage.days", { count: Number(one) })}</option>`)}</select></label></p>
    ${asked.data && html`<${Asked} usage=${asked.data} span=${Number(span)} />`}
  </main>`;
}

/** A figure beside its limit. */
const Held = ({ name, value, most, shown }) => html`<section class="tile">
  <h2>${name}</h2>
  <p class="figure">${shown(value)}</p>
  <progress max=${Math.max(1, most)} value=${Math.min(value, most)} aria-label=${name}></progress>
  <p class=${value >= most ? "bad" : "hint"}>${say(value >= most ? "usage.full" : "usage.of", { most: shown(most) })}</p>
</section>`;

function Asked({ usage, span }) {
  if (!usage.total.turns) return html`<p class="hint">${say("usage.none")}</p>`;
  const { total } = usage;
  return html`
    <div class="tiles">
      <${Bars} name=${say("usage.turns")} usage=${usage} span=${span} of=${(one) => one.turns} total=${total.turns} note=${total.failed > 0 && say("usage.failed", { count: total.failed })} />
      <${Bars} name=${say("usage.tokens")} usage=${usage} span=${span} of=${(one) => one.input_tokens + one.output_tokens} total=${total.input_tokens + total.output_tokens}
        note=${say("usage.tokensBoth", { input: total.input_tokens, output: total.output_tokens })}
        less=${total.partial > 0 && say("usage.partial", { count: total.partial })} />
      ${total.cost > 0 && html`<${Bars} name=${say("usage.cost")} usage=${usage} span=${span} of=${(one) => one.cost} total=${total.cost} shown=${cost} note=${say("usage.costOf")}
        less=${total.cost_unknown > 0 && say("usage.costUnknown", { count: total.cost_unknown })} />`}
    </div>
    <${Table} name=${say("usage.byAvatar")} head=${say("usage.avatar")} rows=${usage.avatars.map((one) => [one.avatar_id, visible(one.name), one])} costs=${total.cost > 0} />
    <${Table} name=${say("usage.byDay")} head=${say("usage.day")} rows=${usage.days.toReversed().map((one) => [one.day, day(one.day), one])} costs=${total.cost > 0} />`;
}

/** A bar for each day, the last one today. The table below says the same in figures. `less` says that more was used. */
function Bars({ name, usage, span, of, total, note, less, shown = number }) {
  const byDay = new Map(usage.days.map((one) => [one.day, of(one)]));
  const first = Date.parse(`${usage.since}T00:00:00Z`);
  const values = Array.from({ length: span }, (_, i) => byDay.get(new Date(first + i * 86_400_000).toISOString().slice(0, 10)) ?? 0);
  const top = Math.max(...values) || 1;
  return html`<section class="tile"><h2>${name}</h2><p class="figure">${shown(total)}</p>
    <svg viewBox=${`0 0 ${span} 30`} preserveAspectRatio="none" aria-hidden="true">
      ${values.map((value, i) => html`<rect x=${i + 0.15} width="0.7" y=${30 - (value / top) * 29} height=${(value / top) * 29} />`)}
    </svg>
    ${note && html`<p class="hint">${note}</p>`}
    ${less && html`<p class="hint">${less}</p>`}</section>`;
}

const Table = ({ name, head, rows, costs }) => html`<h2>${name}</h2>
  <table class="list">
    <thead><tr><th>${head}</th><th class="num">${say("usage.turns")}</th><th class="num wide">${say("usage.failures")}</th><th class="num">${say("usage.in")}</th><th class="num">${say("usage.out")}</th>${costs && html`<th class="num wide">${say("usage.costs")}</th>`}</tr></thead>
    <tbody>
      ${rows.map(
        ([key, words, one]) => html`<tr key=${key}><td dir="auto">${words}</td><td class="num">${number(one.turns)}</td><td class="num wide">${number(one.failed)}</td>
          <td class="num">${number(one.input_tokens)}</td><td class="num">${number(one.output_tokens)}</td>${costs && html`<td class="num wide">${cost(one.cost)}</td>`}</tr>`,
      )}
    </tbody>
  </table>`;
