// The versions of a document, and what changed from one to another, passage by passage.

import { get, withQuery } from "../api.js";
import { visible } from "../footnote-citations.js";
import { wordDiff } from "../highlight.js";
import { html } from "../html.js";
import { Mark, Problem, placeOf, readable, useLoaded } from "../parts.js";
import { bytes, moment, say, sayOr } from "../strings.js";

/** Longer texts are shown one after the other: to compare their words would take the page's time. */
const LONGEST_COMPARED = 8000;

const addressOf = (id, before, after) => `#/library/document/${id}/changes/${before}/${after}`;
const seen = (versions) => versions.filter((one) => one.live_at);

/** The list beside the text. `versions` are the newest first. */
export function Versions({ documentId, versions }) {
  const { data, error, again } = versions;
  const items = data?.items ?? [];
  return html`<section aria-label=${say("versions.title")}>
    <h2>${say("versions.title")}</h2>
    <${Problem} error=${error} onRetry=${again} />
    <ol class="timeline">
      ${items.map((one) => {
        const before = seen(items).find(({ version }) => version < one.version);
        return html`<li key=${one.version}>
          <span>${say("versions.one", { number: one.version })} ${one.live && html`<${Mark} kind="ok" text=${say("versions.live")} />`}</span>
          <small dir="auto">${sayOr(`versions.cause.${one.cause}`, one.cause)} · ${moment(one.accepted_at)} · ${bytes(one.size)}</small>
          ${!one.live_at && html`<small>${say("versions.unseen")}</small>`}
          ${one.live_at && before && html`<a href=${addressOf(documentId, before.version, one.version)} aria-label=${`${say("versions.changes")}: ${say("versions.one", { number: one.version })}`}><small>${say("versions.changes")}</small></a>`}
        </li>`;
      })}
    </ol>
  </section>`;
}

/** What changed, in the place of the text. */
export function Changes({ documentId, versions, before, after }) {
  const path = withQuery(`/v1/documents/${documentId}/changes`, { before, after });
  const { data, error, again } = useLoaded((signal) => get(path, { signal }), [path]);
  const choices = seen(versions.data?.items ?? []);
  const choose = (name, value, other, onChange) => html`<label>${say(name)}${" "}
    <select value=${value} onChange=${(e) => (location.hash = onChange(e.target.value))}>
      ${choices.filter(({ version }) => String(version) !== other).map(({ version }) => html`<option value=${String(version)}>${version}</option>`)}
    </select></label>`;
  return html`<section class="changes" aria-label=${say("versions.changes")}>
    <p class="hint"><a href=${`#/library/document/${documentId}`}>${say("document.text")}</a></p>
    <div class="row">
      ${choose("versions.from", before, after, (one) => addressOf(documentId, one, after))}
      ${choose("versions.to", after, before, (one) => addressOf(documentId, before, one))}
    </div>
    ${error?.status === 404 ? html`<p class="note">${say("versions.gone")}</p>` : html`<${Problem} error=${error} onRetry=${again} />`}
    ${data &&
    html`<p class="hint" role="status">${say("versions.summary", { count: data.items.length + data.more, unchanged: data.unchanged })}</p>
      ${data.items.map((one) => html`<${Passage} key=${one.chunk_id} change=${one} />`)}
      ${data.more > 0 && html`<p class="note">${say("versions.more", { count: data.more })}</p>`}`}
  </section>`;
}

function Passage({ change: { before, after, ...place } }) {
  const kind = before == null ? "added" : after == null ? "removed" : "changed";
  const short = kind === "changed" && before.length + after.length <= LONGEST_COMPARED;
  return html`<article class="change">
    <p><strong>${say(`versions.${kind}`)}</strong> <small dir="auto">${visible(placeOf(place))}</small></p>
    <blockquote dir="auto">
      ${short
        ? wordDiff(before, after).map(({ text, kind: how }) => (how === "same" ? visible(text) : how === "gone" ? html`<del>${visible(text)}</del>` : html`<ins>${visible(text)}</ins>`))
        : html`${before != null && html`<del>${readable(before)}</del>`}${after != null && html`<ins>${readable(after)}</ins>`}`}
    </blockquote>
  </article>`;
}
