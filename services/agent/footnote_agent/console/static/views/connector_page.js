// One connector: how it stands, what each of its syncs did, and what its owner can do about it.

import { useEffect, useState } from "preact/hooks";
import { get, post, remove, send, withQuery } from "../api.js";
import { readEvents, visible } from "../footnote-citations.js";
import { html } from "../html.js";
import { Copied, Icon, Mark, Problem, Sure, useLoaded } from "../parts.js";
import { bytes, moment, number, say, sayOr } from "../strings.js";
import { Told } from "../told.js";
import { ConnectorForm } from "./connector_form.js";
import { ConnectorMark } from "./connector_mark.js";

const AGAIN_AFTER_MS = 3000;
const COLOURS = { succeeded: "ok", failed: "failed", held: "weak", queued: "working", running: "working" };
const COUNTS = ["new", "changed", "unchanged", "skipped", "failed", "deleted"];

export function ConnectorPage({ id, cards, secret, onDeleted }) {
  const connector = useLoaded((signal) => get(`/v1/connectors/${id}`, { signal }), [id]);
  const [shownSecret, setShownSecret] = useState(secret);
  const [asking, setAsking] = useState("");
  const [editing, setEditing] = useState(false);
  const [error, setError] = useState(null);
  const [round, setRound] = useState(0);
  const { runs, problem } = useRuns(id, round, connector.again);
  const one = connector.data;
  const card = cards.find(({ kind }) => kind === one?.kind);
  const held = runs[0]?.status === "held" ? runs[0] : null;

  async function during(work) {
    setAsking("");
    setError(null);
    try {
      await work();
    } catch (trouble) {
      setError(trouble);
    }
  }
  const sync = (confirm) =>
    during(async () => {
      await post(`/v1/connectors/${id}:sync`, confirm ? { confirm_deletions_of: confirm } : {});
      setRound((n) => n + 1);
    });
  const change = (body) =>
    during(async () => {
      const changed = await send("PATCH", `/v1/connectors/${id}`, { body });
      if (changed.webhook_secret) setShownSecret(changed.webhook_secret);
      connector.set(changed);
      setRound((n) => n + 1);
    });
  const end = () => during(async () => onDeleted(await remove(`/v1/connectors/${id}`)));

  if (connector.error?.status === 404) return html`<${Back} /><p class="note">${say("connectors.gone")}</p>`;
  if (!one || !card) return html`<${Back} /><${Problem} error=${connector.error} onRetry=${connector.again} />`;
  if (editing) {
    const saved = (changed) => (connector.set(changed), setEditing(false), setRound((n) => n + 1));
    return html`<${ConnectorForm} cards=${cards} connector=${one} onSaved=${saved} />
      <p><button class="quiet" onClick=${() => setEditing(false)}>${say("common.cancel")}</button></p>`;
  }
  const paused = one.status === "paused";
  return html`
    <${Back} />
    <h1 dir="auto">${visible(one.name)}</h1>
    <div class="row under-title">
      <${ConnectorMark} status=${one.status} />
      ${card.syncs && html`<button class="quiet" disabled=${paused} onClick=${() => sync()}><${Icon} name="again" />${say("connectors.sync")}</button>`}
      <button class="quiet" onClick=${() => change({ paused: !paused })}><${Icon} name=${paused ? "next" : "stop"} />${say(paused ? "common.resume" : "common.pause")}</button>
      <button class="quiet" onClick=${() => setEditing(true)}><${Icon} name="edit" />${say("common.change")}</button>
      <button class="quiet" onClick=${() => setAsking("delete")}><${Icon} name="trash" />${say("library.delete")}</button>
    </div>
    <${Problem} error=${error ?? problem} />
    ${one.problem && html`<p class="problem" dir="auto"><${Told} text=${one.problem} /></p>`}
    ${held &&
    html`<div class="note" role="status"><p>${say("connectors.held", { count: held.would_delete ?? 0 })}</p>
      <p class="row"><button class="danger" onClick=${() => setAsking("held")}>${say("connectors.letDelete")}</button></p></div>`}
    ${shownSecret &&
    html`<div class="note" role="status"><p>${say("connectors.secretOnce")}</p><p class="row"><code class="secret">${shownSecret}</code><${Copied} text=${shownSecret} /></p></div>`}
    <div class="document-body">
      <section aria-label=${say("connectors.runs")}>
        <h2>${say("connectors.runs")}</h2>
        ${!runs.length && html`<p class="hint">${say(card.syncs ? "connectors.noRuns" : "connectors.byHook")}</p>`}
        <ol class="runs" aria-live="polite">${runs.map((run) => html`<${Run} key=${run.id} run=${run} />`)}</ol>
      </section>
      <aside aria-label=${say("document.facts")}>
        <h2>${say("document.facts")}</h2>
        <${Facts} one=${one} />
        <p><button class="quiet" onClick=${() => change({ new_webhook_secret: true })}>${say("connectors.newSecret")}</button></p>
      </aside>
    </div>
    ${asking === "delete" &&
    html`<${Sure} text=${say("connectors.deleteSure", { name: visible(one.name), count: total(one.documents) })} yes=${say("library.delete")} onYes=${end} onNo=${() => setAsking("")} />`}
    ${asking === "held" &&
    html`<${Sure} text=${say("connectors.held", { count: held?.would_delete ?? 0 })} yes=${say("connectors.letDelete")} onYes=${() => sync(held.id)} onNo=${() => setAsking("")} />`}
  `;
}

const Back = () => html`<p class="back"><a href="#/library/connectors"><${Icon} name="previous" />${say("connectors.title")}</a></p>`;
const total = (documents) => Object.values(documents).reduce((all, count) => all + count, 0);

/** The reports, the newest first. Those that go on change as the server tells of them. */
function useRuns(id, round, onEnd) {
  const [runs, setRuns] = useState([]);
  const [problem, setProblem] = useState(null);
  useEffect(() => {
    const stop = new AbortController();
    let timer = null;
    const take = (run) => setRuns((last) => [run, ...last.filter((one) => one.id !== run.id)].sort((a, b) => (a.id < b.id ? 1 : -1)));
    const follow = async () => {
      try {
        const page = await get(withQuery(`/v1/connectors/${id}/runs`, { limit: 20 }), { signal: stop.signal });
        setRuns(page.items);
        setProblem(null);
        if (!page.items.length || page.items[0].ended_at) return;
        const headers = { Accept: "text/event-stream" };
        const live = await send("GET", `/v1/connectors/${id}/runs`, { headers, signal: stop.signal, raw: true });
        for await (const { event } of readEvents(live)) take(event);
        if (!stop.signal.aborted) onEnd();
      } catch (error) {
        if (stop.signal.aborted) return;
        setProblem(error);
        timer = setTimeout(follow, AGAIN_AFTER_MS);
      }
    };
    follow();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [id, round]);
  return { runs, problem };
}

/** A value of a configuration, for people. */
const written = (value) => (typeof value === "boolean" ? say(value ? "flags.on" : "flags.off") : Array.isArray(value) ? value.join(", ") : String(value));

const Run = ({ run }) => html`<li>
  <p class="row"><${Mark} kind=${COLOURS[run.status] ?? ""} text=${say(`run.${run.status}`)} />
    <small>${moment(run.started_at ?? run.created_at)} · ${sayOr(`trigger.${run.trigger}`, run.trigger)}${run.bytes ? ` · ${bytes(run.bytes)}` : ""}</small></p>
  <p>${say("run.seen", { count: run.seen })}${COUNTS.filter((name) => run[name]).map((name) => html`<span class=${name === "failed" ? "bad" : ""}> · ${say(`run.count.${name}`, { n: run[name] })}</span>`)}</p>
  ${run.reason && html`<p class=${run.status === "failed" ? "bad" : "hint"} dir="auto"><${Told} text=${run.reason} /></p>`}
  ${run.errors.length > 0 &&
  html`<details><summary>${say("run.notes", { count: run.errors.length })}</summary>
    <ul>${run.errors.map((note) => html`<li><strong dir="auto">${visible(note.item)}</strong> <span dir="auto"><${Told} text=${note.reason} /></span></li>`)}</ul></details>`}
</li>`;

function Facts({ one }) {
  const facts = [
    ["connectors.kind", sayOr(`kind.${one.kind}`, one.kind)],
    ["document.folder", one.folder],
    ["connectors.schedule", sayOr(`schedule.${one.schedule || "never"}`, one.schedule)],
    ["connectors.next", one.next_sync_at && moment(one.next_sync_at)],
    ["operate.documents", number(total(one.documents))],
    ...Object.entries(one.config).map(([name, value]) => [`field.${name}`, written(value), name]),
    ["connectors.hook", one.webhook_url],
  ];
  return html`<dl>${facts.filter(([, value]) => value).map(([key, value, name]) => html`<div><dt>${sayOr(key, name)}</dt><dd dir="auto">${visible(value)}</dd></div>`)}</dl>`;
}
