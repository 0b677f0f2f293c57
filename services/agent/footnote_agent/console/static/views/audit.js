// The audit log: who changed what the workspace is set to, and its keys.

import { useEffect, useState } from "preact/hooks";
import { get, withQuery } from "../api.js";
import { visible } from "../footnote-citations.js";
import { html } from "../html.js";
import { Problem, useLoaded } from "../parts.js";
import { moment, say, sayOr } from "../strings.js";
import { OperateTabs } from "./operate_tabs.js";

export function AuditView() {
  const [pages, setPages] = useState({ items: [], next: undefined });
  const [error, setError] = useState(null);
  const first = useLoaded((signal) => get(withQuery("/v1/audit", { limit: 50 }), { signal }), []);
  useEffect(() => first.data && setPages({ items: first.data.items, next: first.data.next_cursor }), [first.data]);

  async function more() {
    try {
      const page = await get(withQuery("/v1/audit", { limit: 50, cursor: pages.next }));
      setPages({ items: [...pages.items, ...page.items], next: page.next_cursor });
    } catch (problem) {
      setError(problem);
    }
  }

  return html`<main id="content" tabindex="-1" class="page">
    <${OperateTabs} current="audit" />
    <${Problem} error=${error ?? first.error} onRetry=${first.again} />
    ${first.data && !pages.items.length && html`<p class="hint">${say("audit.none")}</p>`}
    ${pages.items.length > 0 &&
    html`<table class="list">
      <thead><tr><th>${say("audit.at")}</th><th>${say("audit.what")}</th><th class="wide">${say("audit.before")}</th><th>${say("audit.after")}</th><th class="wide">${say("audit.who")}</th></tr></thead>
      <tbody>
        ${pages.items.map(
          (one) => html`<tr key=${one.id}>
            <td><small>${moment(one.at)}</small></td>
            <td>${sayOr(`audit.${one.action}`, one.action)}<small class="under" dir="auto">${visible(one.subject)}</small></td>
            <td class="wide" dir="auto">${told(one.before)}</td><td dir="auto">${told(one.after)}</td>
            <td class="wide" title=${visible(one.avatar_id)}><small dir="auto">${whoOf(one)}</small></td>
          </tr>`,
        )}
      </tbody>
    </table>`}
    ${pages.next && html`<button onClick=${more}>${say("library.more")}</button>`}
  </main>`;
}

/** Whose key it was, by name. The command line of the server has none. */
const whoOf = ({ avatar, avatar_id: id }) => (avatar ? visible(avatar) : id === "operator" ? say("audit.operator") : visible(id));

/** A value of JSON in a line, such as `name: import, scopes: read, write`. */
function told(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "object") return visible(String(value));
  return visible(Object.entries(value).map(([name, one]) => `${name}: ${inWords(one)}`).join("; "));
}

/** What stands in a value: names one after the other, and anything deeper as the JSON that it is. */
const inWords = (one) => (Array.isArray(one) ? one.join(", ") : typeof one === "object" ? JSON.stringify(one) : String(one));
