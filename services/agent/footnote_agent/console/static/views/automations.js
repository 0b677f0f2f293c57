// Automations: questions that are asked by a schedule, their runs, and what a person can do about them.

import { useState } from "preact/hooks";
import { allOf, get, post, remove, send, withQuery } from "../api.js";
import { visible } from "../footnote-citations.js";
import { html } from "../html.js";
import { Icon, Mark, Problem, Sure, useEvery, useLoaded } from "../parts.js";
import { moment, say, sayOr } from "../strings.js";
import { Told } from "../told.js";
import { AutomationForm } from "./automation_form.js";
import { OperateTabs } from "./operate_tabs.js";

const LOOK_EVERY_MS = 4000;
const RUNS_SHOWN = 10;
const COLOURS = { completed: "ok", failed: "failed", queued: "working", running: "working" };

export function AutomationsView() {
  const automations = useLoaded(() => allOf("/v1/automations"), []);
  const [editing, setEditing] = useState(null);
  const [doomed, setDoomed] = useState(null);
  const [open, setOpen] = useState("");
  const [error, setError] = useState(null);
  useEvery(editing ? 0 : LOOK_EVERY_MS, automations.again, [editing]);

  async function during(work) {
    setDoomed(null);
    setError(null);
    try {
      await work();
    } catch (problem) {
      setError(problem);
    }
    automations.again();
  }
  const pause = (one) => during(() => send("PATCH", `/v1/automations/${one.id}`, { body: { paused: !one.paused } }));
  const run = (one) =>
    during(async () => {
      await post(`/v1/automations/${one.id}:run`);
      setOpen(one.id);
    });

  if (editing) {
    const close = () => (setEditing(null), automations.again());
    return html`<main id="content" tabindex="-1" class="page">
      <${AutomationForm} automation=${editing.id ? editing : null} onSaved=${close} onCancel=${() => setEditing(null)} /></main>`;
  }
  const found = automations.data;
  return html`<main id="content" tabindex="-1" class="page">
    <${OperateTabs} current="automations" />
    <${Problem} error=${error ?? automations.error} onRetry=${automations.again} />
    <p class="row"><button data-first-field onClick=${() => setEditing({})}><${Icon} name="plus" />${say("automations.new")}</button></p>
    ${found && !found.length && html`<p class="hint">${say("automations.none")}</p>`}
    <ul class="automations">
      ${(found ?? []).map(
        (one) => html`<li key=${one.id}>
          <div class="row"><h2 dir="auto">${visible(one.name)}</h2>
            ${one.paused ? html`<${Mark} kind="" text=${say("connector.paused")} />` : one.last_run && html`<${RunMark} run=${one.last_run} />`}</div>
          <p dir="auto">${visible(one.text)}</p>
          <small>${visible(one.schedule)} · ${visible(one.time_zone)}${one.next_due_at ? ` · ${say("automations.next", { at: moment(one.next_due_at) })}` : ""}</small>
          <div class="row actions">
            <button class="quiet" aria-label=${named("automations.run", one)} onClick=${() => run(one)}><${Icon} name="send" />${say("automations.run")}</button>
            <button class="quiet" aria-label=${named(one.paused ? "common.resume" : "common.pause", one)} onClick=${() => pause(one)}><${Icon} name=${one.paused ? "next" : "stop"} />${say(one.paused ? "common.resume" : "common.pause")}</button>
            <button class="quiet" aria-label=${named("common.change", one)} onClick=${() => setEditing(one)}><${Icon} name="edit" />${say("common.change")}</button>
            <button class="quiet" aria-label=${named("library.delete", one)} onClick=${() => setDoomed(one)}><${Icon} name="trash" />${say("library.delete")}</button>
            <button class="quiet" aria-label=${named("automations.runs", one)} aria-expanded=${open === one.id} onClick=${() => setOpen(open === one.id ? "" : one.id)}>${say("automations.runs")}</button>
          </div>
          ${open === one.id && html`<${Runs} automation=${one} />`}
        </li>`,
      )}
    </ul>
    ${doomed &&
    html`<${Sure} text=${say("automations.deleteSure", { name: visible(doomed.name) })} yes=${say("library.delete")}
      onYes=${() => during(() => remove(`/v1/automations/${doomed.id}`))} onNo=${() => setDoomed(null)} />`}
  </main>`;
}

const named = (key, one) => `${say(key)}: ${visible(one.name)}`;
const RunMark = ({ run }) => html`<${Mark} kind=${COLOURS[run.status] ?? ""} text=${say(`run.${run.status}`)} />`;

/** The last runs; each leads to its answer. They are asked for again whenever the automation is. */
function Runs({ automation }) {
  const runs = useLoaded((signal) => get(withQuery(`/v1/automations/${automation.id}/runs`, { limit: RUNS_SHOWN }), { signal }), [automation]);
  return html`<section aria-label=${named("automations.runs", automation)}>
    <${Problem} error=${runs.error} onRetry=${runs.again} />
    ${runs.data && !runs.data.items.length && html`<p class="hint">${say("automations.noRuns")}</p>`}
    <ol class="runs">
      ${(runs.data?.items ?? []).map(
        (one) => html`<li key=${one.id}><p class="row"><${RunMark} run=${one} /> <small>${moment(one.due_at)} · ${sayOr(`trigger.${one.trigger}`, one.trigger)}</small>
            ${one.thread_id && html`<a href=${`#/ask/${one.thread_id}`}>${say("automations.answer")}</a>`}</p>
          ${one.reason && html`<p class="bad" dir="auto"><${Told} text=${one.reason} /></p>`}</li>`,
      )}
    </ol>
  </section>`;
}
