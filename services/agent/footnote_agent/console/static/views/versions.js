// The versions of a document, and what changed from one to another, passage by passage.

import { useMemo } from "preact/hooks";
import { get, withQuery } from "../api.js";
import { visible } from "../footnote-citations.js";
import { wordDiff } from "../highlight.js";
import { html } from "../html.js";
import { Mark, Problem, placeOf, readable, useLoaded } from "../parts.js";
import { bytes, moment, say, sayOr } from "../strings.js";

/** Longer texts are shown one after the other: to compare their words would take the page's time. */
const LONGEST_COMPARED = 8000;
/** Of all passages of the page together. Those beyond it are shown one after the other too. */
const MOST_COMPARED = 60_000;

const addressOf = (id, before, after) => `#/library/document/${id}/changes/${before}/${after}`;
const comparable = (versions) => versions.filter((one) => one.comparable);

/** The list beside the text. `versions` are the newest first. */
export function Versions({ documentId, versions }) {
  const { data, error, again } = versions;
  const items = data?.items ?? [];
  return html`<section aria-label=${say("versions.title")}>
    <h2>${say("versions.title")}</h2>
    <${Problem} error=${error} onRetry=${again} />
    <ol class="timeline">
      ${items.map((one) => {
        const before = comparable(items).find(({ version }) => version < one.version);
        return html`<li key=${one.version}>
          <span>${say("versions.one", { number: one.version })} ${one.live && html`<${Mark} kind="ok" text=${say("versions.live")} />`}</span>
          <small dir="auto">${sayOr(`versions.cause.${one.cause}`, one.cause)} · ${moment(one.accepted_at)} · ${bytes(one.size)}</small>
          ${!one.comparable && html`<small>${say(one.live_at ? "versions.dropped" : "versions.unseen")}</small>`}
          ${one.comparable && before && html`<a href=${addressOf(documentId, before.version, one.version)} aria-label=${`${say("versions.changes")}: ${say("versions.one", { number: one.version })}`}><small>${say("versions.changes")}</small></a>`}
        </li>`;
      })}
    </ol>
  </section>`;
}

/** What changed, in the place of the text. */
export function Changes({ documentId, versions, before, after }) {
  const path = withQuery(`/v1/documents/${documentId}/changes`, { before, after });
  const { data, error, again } = useLoaded((signal) => get(path, { signal }), [path]);
  const drawn = useMemo(() => withWords(data?.items ?? []), [data]);
  const choices = comparable(versions.data?.items ?? []);
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
      ${drawn.map(({ change, parts }) => html`<${Passage} key=${change.chunk_id} change=${change} parts=${parts} />`)}
      ${data.more > 0 && html`<p class="note">${say("versions.more", { count: data.more })}</p>`}`}
  </section>`;
}

/** Each change with the words that differ, or with null where its texts stand one after the other. */
function withWords(changes) {
  let left = MOST_COMPARED;
  return changes.map((change) => {
    const size = (change.before?.length ?? 0) + (change.after?.length ?? 0);
    const short = change.before != null && change.after != null && size <= Math.min(left, LONGEST_COMPARED);
    if (short) left -= size;
    return { change, parts: short ? wordDiff(change.before, change.after) : null };
  });
}

function Passage({ change: { before, after, ...place }, parts }) {
  const kind = before == null ? "added" : after == null ? "removed" : "changed";
  return html`<article class="change">
    <p><strong>${say(`versions.${kind}`)}</strong> <small dir="auto">${visible(placeOf(place))}</small></p>
    <blockquote dir="auto">
      ${parts
        ? parts.map(({ text, kind: how }) => (how === "same" ? visible(text) : how === "gone" ? html`<del>${visible(text)}</del>` : html`<ins>${visible(text)}</ins>`))
        : html`${before != null && html`<del>${readable(before)}</del>`}${after != null && html`<ins>${readable(after)}</ins>`}`}
    </blockquote>
  </article>`;
}
