// The files of a conversation above its composer: what each is doing, and a way to take it off again.

import { visible } from "../footnote-citations.js";
import { html } from "../html.js";
import { Badge, Fault, Icon, Mark, Problem, Reason } from "../parts.js";
import { moment, say } from "../strings.js";

export function Attached({ files, error, onRemove, onRetry }) {
  const ends = files.map(({ document }) => document?.expires_at).filter(Boolean).sort()[0];
  if (!files.length) return html`<${Problem} error=${error} />`;
  return html`<section class="attached" aria-label=${say("attached.title")}>
    <ul>
      ${files.map(
        (one) => html`<li key=${one.key}>
          <${Icon} name="file" /><span class="what" dir="auto">${visible(one.name)}</span>
          ${one.status === "broken" ? html`<${Mark} kind="failed" text=${say("attached.broken")} />` : html`<${Badge} status=${one.status} />`}
          ${(one.status === "refused" || one.status === "failed") && html`<span class="bad">${one.error ? html`<${Fault} error=${one.error} />` : one.document?.error && html`<${Reason} error=${one.document.error} />`}</span>`}
          ${one.status === "refused" && html`<button type="button" class="link" onClick=${() => onRetry(one)}>${say("library.retry")}</button>`}
          <button type="button" class="quiet" aria-label=${`${say("attached.remove")}: ${visible(one.name)}`} title=${say("attached.remove")} onClick=${() => onRemove(one)}><${Icon} name="close" /></button>
        </li>`,
      )}
    </ul>
    <${Problem} error=${error} />
    <p class="hint">${ends ? say("attached.until", { at: moment(ends) }) : say("attached.alone")}</p>
  </section>`;
}
