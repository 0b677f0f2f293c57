// Operate: what is up, what is waiting, how fast answers come. Figures begin when the page is opened.

import { useRef, useState } from "preact/hooks";
import { allOf, get } from "../api.js";
import { html } from "../html.js";
import { between, countersOf, queueOf, samplesOf } from "../metrics.js";
import { Badge, Problem, WORKING, useEvery, useLoaded } from "../parts.js";
import { duration, number, say } from "../strings.js";
import { AuditView } from "./audit.js";
import { AutomationsView } from "./automations.js";
import { FlagsView } from "./flags.js";
import { KeysView } from "./keys.js";
import { LanesView } from "./lanes.js";
import { OperateTabs } from "./operate_tabs.js";
import { UsageView } from "./usage.js";

const LOOK_EVERY_MS = 4000;
const POINTS = 60;

const PARTS = { __proto__: null, automations: AutomationsView, lanes: LanesView, usage: UsageView, keys: KeysView, flags: FlagsView, audit: AuditView };

export function OperateView({ path: [part] }) {
  const View = PARTS[part] ?? StateView;
  return html`<${View} />`;
}

function StateView() {
  const [ready, setReady] = useState(null);
  const [stats, setStats] = useState(null);
  const [points, setPoints] = useState([]);
  const [queue, setQueue] = useState([]);
  const [error, setError] = useState(null);
  const [blind, setBlind] = useState(false);
  const last = useRef(null);
  const counted = useRef(null);
  const engines = useLoaded((signal) => get("/v1/models", { signal }), []);
  const presets = useLoaded(() => allOf("/v1/presets"), []);

  useEvery(LOOK_EVERY_MS, async () => {
    const [up, counts, text] = await Promise.allSettled([readyNow(), get("/v1/documents:stats"), metricsNow()]);
    setReady(up.status === "fulfilled" ? up.value : {});
    setError(counts.status === "rejected" ? counts.reason : null);
    if (counts.status === "fulfilled") count(counts.value);
    setBlind(text.status === "rejected");
    if (text.status === "rejected") return;
    const now = { at: performance.now(), ...countersOf(samplesOf(text.value)) };
    const before = last.current;
    last.current = now;
    if (before) setPoints((all) => [...all, between(before, now, (now.at - before.at) / 1000)].slice(-POINTS));
  }, []);

  function count(found) {
    const now = { at: performance.now(), ...queueOf(found.counts) };
    const before = counted.current;
    counted.current = now;
    setStats(found);
    // Nobody knows what ended before the page was opened.
    const perMinute = before ? (Math.max(0, now.ended - before.ended) / (now.at - before.at)) * 60_000 : null;
    setQueue((all) => [...all, { waiting: now.waiting, perMinute }].slice(-POINTS));
  }

  const latest = points[points.length - 1];
  const done = queue.filter(({ perMinute }) => perMinute !== null).map(({ perMinute }) => perMinute);
  return html`<main id="content" tabindex="-1" class="page">
    <${OperateTabs} current="state" />
    <${Problem} error=${error} />
    <div class="tiles">
      <${Up} services=${ready} />
      ${stats && html`<${Documents} stats=${stats} />`}
      ${stats && html`<${Curve} name=${say("operate.queue")} points=${queue.map(({ waiting }) => waiting)} now=${number(queueOf(stats.counts).waiting)}><${Stages} stats=${stats} /><//>`}
      <${Curve} name=${say("operate.throughput")} points=${done} now=${done.length ? say("operate.perMinute", { rate: Math.round(done[done.length - 1]) }) : undefined} />
      ${blind
        ? html`<section class="tile"><h2>${say("operate.requests")}</h2><p class="hint">${say("operate.noMetrics")}</p></section>`
        : html`
          <${Curve} name=${say("operate.requests")} points=${points.map((one) => one.perSecond)} now=${latest && say("operate.perSecond", { rate: Math.round(latest.perSecond * 10) / 10 })} />
          <${Curve} name=${say("operate.latency")} points=${points.map((one) => one.meanMs ?? 0)} now=${latest?.meanMs != null ? duration(latest.meanMs) : latest && "–"} />
          <${Curve} name=${say("operate.errors")} points=${points.map((one) => one.errors)} now=${latest && number(points.reduce((all, one) => all + one.errors, 0))} />`}
      ${engines.data &&
      html`<section class="tile"><h2>${say("operate.engines")}</h2><ul>${engines.data.data.map(({ id }) => html`<li>${id}</li>`)}</ul></section>`}
      ${presets.data &&
      html`<section class="tile"><h2>${say("operate.presets")}</h2><ul>
        ${presets.data.map((one) => html`<li><span>${one.name}</span>${one.built_in && html`<small>${say("operate.builtIn")}</small>`}</li>`)}
      </ul></section>`}
    </div>
  </main>`;
}

async function readyNow() {
  const response = await fetch("/readyz");
  return (await response.json()).services ?? {};
}

async function metricsNow() {
  const response = await fetch("/metrics");
  if (!response.ok) throw new Error(String(response.status));
  return response.text();
}

function Up({ services }) {
  if (!services) return null;
  const rows = Object.entries(services).map(([name, checks]) => ({ name, bad: Object.keys(checks).filter((part) => checks[part] !== "ok") }));
  const fine = rows.length > 0 && rows.every(({ bad }) => !bad.length);
  return html`<section class="tile">
    <h2>${say("operate.up")}</h2>
    <p role="status">${say(fine ? "operate.allUp" : "operate.down")}</p>
    <ul>${rows.map(({ name, bad }) => html`<li><span>${name}</span><span class=${bad.length ? "badge down" : "badge ok"}>${bad.join(", ") || say("operate.ok")}</span></li>`)}</ul>
  </section>`;
}

const Documents = ({ stats }) => html`<section class="tile">
  <h2>${say("operate.documents")}</h2>
  <p class="figure">${number(Object.values(stats.counts).reduce((all, one) => all + one, 0))}</p>
  <ul>
    ${Object.entries(stats.counts).filter(([status, count]) => count && !WORKING.has(status)).map(([status, count]) => html`<li><${Badge} status=${status} /><span>${number(count)}</span></li>`)}
    <li><span>${say("operate.chunks")}</span><span>${number(stats.chunks)}</span></li>
  </ul>
</section>`;

/** In what stage the documents are that wait or are in work. */
const Stages = ({ stats }) => html`
  <ul>${queueOf(stats.counts).stages.map(([status, count]) => html`<li><${Badge} status=${status} /><span>${number(count)}</span></li>`)}</ul>
  ${stats.oldest_waiting_s > 0 && html`<p class="hint">${say("operate.waiting", { age: duration(stats.oldest_waiting_s * 1000) })}</p>`}`;

/** What was seen at each look, the last one at the right. */
function Curve({ name, points, now, children }) {
  const top = Math.max(1e-9, ...points);
  const line = points.map((value, i) => `${((POINTS - points.length + i) / (POINTS - 1)) * 100},${29 - (value / top) * 27}`).join(" ");
  return html`<section class="tile">
    <h2>${name}</h2>
    <p class="figure">${now ?? "…"}</p>
    <svg viewBox="0 0 100 30" preserveAspectRatio="none" aria-hidden="true"><line x1="0" x2="100" y1="29.5" y2="29.5" /><polyline points=${line} /></svg>
    ${children}
    <p class="hint">${say("operate.since", { seconds: LOOK_EVERY_MS / 1000 })}</p>
  </section>`;
}
