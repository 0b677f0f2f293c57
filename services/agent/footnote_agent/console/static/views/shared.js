// One answer that somebody has shared: its text for all, its sources as far as this reader may see them.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { inField } from "../app_keys.js";
import { get } from "../api.js";
import { answerOf } from "../conversations.js";
import { NEW, keepDraft } from "../drafts.js";
import { html } from "../html.js";
import { Problem, useLoaded } from "../parts.js";
import { say } from "../strings.js";
import { Exchange, sourcesOf } from "./exchange.js";
import { SourcePanel } from "./source.js";

export function SharedView({ path: [messageId = ""] }) {
  const path = `/v1/shared/${encodeURIComponent(messageId)}`;
  const loaded = useLoaded((signal) => get(path, { signal }), [path]);
  const [open, setOpen] = useState(null);
  const [exchange, setExchange] = useState(null);
  const opener = useRef(null);
  useEffect(() => setOpen(null), [path]);
  useEffect(() => {
    if (!loaded.data) return setExchange(null);
    const { question, message } = loaded.data;
    return setExchange({ key: message.id, question, answer: answerOf(message), live: false });
  }, [loaded.data]);

  function close() {
    setOpen(null);
    opener.current?.focus();
  }

  function step(by) {
    const numbers = exchange ? sourcesOf(exchange.answer).map(({ n }) => n) : [];
    const next = open === null ? (by > 0 ? 0 : numbers.length - 1) : numbers.indexOf(open) + by;
    if (numbers[next] !== undefined) setOpen(numbers[next]);
  }

  useLayoutEffect(() => {
    const pressed = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
      if (event.key === "Escape" && open !== null) close();
      else if (inField(event.target)) return;
      else if (event.key === "j") step(1);
      else if (event.key === "k") step(-1);
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  });

  /** The question goes where its reader can ask it: of the documents that they may see. */
  function askAnew() {
    keepDraft(NEW, exchange.question);
    location.hash = "#/ask";
  }

  const gone = loaded.error?.status === 404;
  /** Taken back while it was read. */
  const vanish = () => {
    setOpen(null);
    loaded.again();
  };
  const openIt = (n, from) => {
    opener.current = from ?? opener.current;
    setOpen(n);
  };
  return html`
    <main id="content" tabindex="-1" class=${open === null ? "ask" : "ask with-source"}>
      <div class="talk">
        <h1 class="hidden">${say("shared.title")}</h1>
        ${gone ? html`<p class="note" role="status">${say("shared.gone")}</p>` : html`<${Problem} error=${loaded.error} onRetry=${loaded.again} />`}
        ${loaded.loading && !exchange && html`<p class="hint" role="status">${say("common.loading")}…</p>`}
        ${exchange && !gone && html`<p class="hint shared-lead">${say("shared.lead")} ${loaded.data?.mine && html`<a href=${`#/ask/${loaded.data.thread_id}/${exchange.answer.messageId}`}>${say("shared.mine")}</a>`}</p>
          <${Exchange} key=${exchange.key} exchange=${exchange} last openNumber=${open} onOpen=${openIt} onEdit=${askAnew} foreign />`}
      </div>
    </main>
    ${exchange && open !== null &&
    html`<${SourcePanel} key=${open} path=${`${path}/citations/${open}`} exchange=${exchange} n=${open} onClose=${close} onStep=${step} onGone=${vanish} />`}
  `;
}
