// The form of an automation. Common schedules can be chosen; any other is five fields of cron.

import { useState } from "preact/hooks";
import { post, send } from "../api.js";
import { visible } from "../footnote-citations.js";
import { html } from "../html.js";
import { Problem } from "../parts.js";
import { say } from "../strings.js";

const SCHEDULES = { hourly: "0 * * * *", daily: "0 9 * * *", workdays: "0 9 * * mon-fri", weekly: "0 9 * * mon" };

/** Without `automation` a new one is made. */
export function AutomationForm({ automation, onSaved, onCancel }) {
  const [name, setName] = useState(automation?.name ?? "");
  const [text, setText] = useState(automation?.text ?? "");
  const [schedule, setSchedule] = useState(automation?.schedule ?? SCHEDULES.workdays);
  const [zone, setZone] = useState(automation?.time_zone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone ?? "UTC");
  const [missed, setMissed] = useState(automation?.missed ?? "run_once");
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const known = Object.keys(SCHEDULES).find((one) => SCHEDULES[one] === schedule);
  const [own, setOwn] = useState(!known);

  async function save(event) {
    event.preventDefault();
    setBusy(true);
    setError(null);
    const body = { name: name.trim(), text: text.trim(), schedule: schedule.trim(), time_zone: zone.trim(), missed };
    try {
      if (automation) await send("PATCH", `/v1/automations/${automation.id}`, { body: { ...body, if_version: automation.version } });
      else await post("/v1/automations", body);
      onSaved();
    } catch (problem) {
      setError(problem);
      setBusy(false);
    }
  }
  const choose = (wanted) => {
    setOwn(wanted === "own");
    if (wanted !== "own") setSchedule(SCHEDULES[wanted]);
  };

  return html`
    <h1>${automation ? say("connectors.change", { name: visible(automation.name) }) : say("automations.new")}</h1>
    <form class="form" onSubmit=${save}>
      <label><span>${say("connectors.name")}</span><input data-first-field required maxlength="200" value=${name} onInput=${(e) => setName(e.target.value)} /></label>
      <label><span>${say("ask.question")}</span><textarea required rows="3" value=${text} onInput=${(e) => setText(e.target.value)}></textarea></label>
      <label><span>${say("automations.when")}</span>
        <select value=${own ? "own" : known} onChange=${(e) => choose(e.target.value)}>
          ${[...Object.keys(SCHEDULES), "own"].map((one) => html`<option value=${one}>${say(`automations.${one}`)}</option>`)}
        </select></label>
      ${own &&
      html`<div><label for="cron"><span>${say("automations.cron")}</span></label>
        <input id="cron" required maxlength="100" spellcheck=${false} aria-describedby="cron-hint" value=${schedule} onInput=${(e) => setSchedule(e.target.value)} />
        <small id="cron-hint" class="hint">${say("automations.cronHint")}</small></div>`}
      <label><span>${say("automations.zone")}</span><input required maxlength="100" spellcheck=${false} value=${zone} onInput=${(e) => setZone(e.target.value)} /></label>
      <label><span>${say("automations.missed")}</span>
        <select value=${missed} onChange=${(e) => setMissed(e.target.value)}>
          ${["run_once", "skip"].map((one) => html`<option value=${one}>${say(`automations.${one}`)}</option>`)}
        </select></label>
      <${Problem} error=${error} />
      <div class="row"><button class="primary" disabled=${busy}>${say(automation ? "connectors.save" : "automations.make")}</button>
        <button type="button" class="quiet" onClick=${onCancel}>${say("common.cancel")}</button></div>
    </form>
  `;
}
