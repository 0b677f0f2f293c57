// An answer is shared: with the whole workspace, by a link, until that is taken back.

import { useState } from "preact/hooks";
import { post } from "../api.js";
import { html } from "../html.js";
import { Dialog, Icon, Problem } from "../parts.js";
import { say } from "../strings.js";

const addressOf = ({ messageId }) => `${location.origin}${location.pathname}#/shared/${messageId}`;

/** `answer` is one of the reader's own, which has ended. */
export function Share({ answer }) {
  const [open, setOpen] = useState(false);
  const [shared, setShared] = useState(Boolean(answer.sharedAt));
  const [copied, setCopied] = useState(false);
  const [error, setError] = useState(null);

  async function set(wanted) {
    setError(null);
    try {
      const message = await post(`/v1/threads/${answer.threadId}/messages/${answer.messageId}:share`, { shared: wanted });
      answer.sharedAt = message.shared_at;
      setShared(wanted);
      if (wanted) await copy();
      else setOpen(false);
    } catch (problem) {
      setError(problem);
    }
  }

  const copy = () => navigator.clipboard.writeText(addressOf(answer)).then(() => setCopied(true), () => setCopied(false));
  const begin = () => {
    setCopied(false);
    setError(null);
    setOpen(true);
  };

  return html`<button class="quiet" onClick=${begin}><${Icon} name="link" />${say(shared ? "share.shared" : "share.share")}</button>
    ${open &&
    html`<${Dialog} name=${say("share.share")} onClose=${() => setOpen(false)}>
      <p>${say(shared ? "share.isShared" : "share.lead")}</p>
      <p>${say("share.words")}</p>
      ${shared && html`<p><code class="secret">${addressOf(answer)}</code></p>`}
      <p class="hint" role="status">${copied ? say("share.copied") : ""}</p>
      <${Problem} error=${error} />
      <div class="row end">
        <button class="quiet" onClick=${() => setOpen(false)}>${say(shared ? "common.close" : "common.cancel")}</button>
        ${shared && html`<button onClick=${() => set(false)}>${say("share.end")}</button>`}
        <button class="primary" onClick=${() => (shared ? copy() : set(true))}>${say(shared ? "share.copy" : "share.do")}</button>
      </div>
    <//>`}`;
}
