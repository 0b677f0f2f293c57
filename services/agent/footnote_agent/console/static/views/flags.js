// Flags: what the workspace sets in place of the operator, and who decided each value.

import { useState } from "preact/hooks";
import { get, send, withQuery } from "../api.js";
import { visible } from "../footnote-citations.js";
import { html } from "../html.js";
import { Problem, useLoaded } from "../parts.js";
import { say, sayOr } from "../strings.js";
import { OperateTabs } from "./operate_tabs.js";

export function FlagsView() {
  const flags = useLoaded((signal) => get("/v1/flags", { signal }), []);
  const [error, setError] = useState(null);
  const [saved, setSaved] = useState("");

  async function change(name, value) {
    setError(null);
    setSaved("");
    const { version } = flags.data;
    try {
      flags.set(
        value === undefined
          ? await send("DELETE", withQuery(`/v1/flags/${name}`, { version: String(version) }))
          : await send("PUT", `/v1/flags/${name}`, { body: { value, version } }),
      );
      setSaved(name);
    } catch (problem) {
      setError(problem);
      if (problem.status === 409) flags.again();
    }
  }

  return html`<main id="content" tabindex="-1" class="page">
    <${OperateTabs} current="flags" />
    <p class="hint">${say("flags.lead")}</p>
    <${Problem} error=${error ?? flags.error} onRetry=${flags.again} />
    <p class="hidden" role="status">${saved && say("flags.saved", { name: saved })}</p>
    ${flags.data &&
    html`<ul class="flags">${flags.data.items.map((flag) => html`<${Flag} key=${`${flag.name}:${flag.value}`} flag=${flag} onChange=${change} />`)}</ul>`}
  </main>`;
}

function Flag({ flag, onChange }) {
  const id = `flag-${flag.name}`;
  const kind = typeof flag.value;
  const common = { id, "aria-describedby": `${id}-about` };
  const options = kind === "boolean" ? ["true", "false"] : flag.choices;
  const take = (event) => {
    const text = event.target.value;
    const number = options.length || !text.trim() ? NaN : Number(text);
    onChange(flag.name, kind === "boolean" ? text === "true" : Number.isFinite(number) ? number : text);
  };
  const said = (value) => (typeof value === "boolean" ? say(value ? "flags.on" : "flags.off") : String(value));
  return html`<li>
    <label for=${id}><code>${flag.name}</code></label>
    ${options.length
      ? html`<select ...${common} value=${String(flag.value)} onChange=${take}>${options.map((one) => html`<option value=${one}>${kind === "boolean" ? said(one === "true") : one}</option>`)}</select>`
      : html`<input ...${common} type="text" inputmode=${kind === "number" ? "decimal" : "text"} value=${flag.value} onChange=${take} />`}
    <div id=${`${id}-about`}><p>${sayOr(`flag.${flag.name}`, visible(flag.description))}</p>
      <small>${flag.source === "workspace" ? say("flags.here", { value: said(flag.fallback.value) }) : say("flags.operator")}</small></div>
    ${flag.source === "workspace" && html`<button class="quiet" aria-label=${`${say("flags.clear")}: ${flag.name}`} onClick=${() => onChange(flag.name, undefined)}>${say("flags.clear")}</button>`}
  </li>`;
}
