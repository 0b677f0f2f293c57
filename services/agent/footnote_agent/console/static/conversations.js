// Conversations as the page knows them. They outlive the view: an answer goes on while somebody looks elsewhere.

import { ApiError, allOf, get, post } from "./api.js";
import { attachments } from "./attachments.js";
import { Refused, askQuestion, emptyAnswer, followTurn } from "./footnote-citations.js";
import { currentKey, onSession, signOut } from "./session.js";

const known = new Map();

export function conversation(id) {
  if (!known.has(id)) known.set(id, new Conversation(id));
  return known.get(id);
}

/** The conversation was deleted here: other tabs that show it are told. */
export function forget(id) {
  known.get(id)?.close();
  known.delete(id);
  tabs.postMessage({ id, deleted: true });
}

const tabs = new BroadcastChannel("footnote.conversations");
tabs.addEventListener("message", ({ data: { id, deleted } }) => {
  if (deleted) known.get(id)?.vanish();
  else known.get(id)?.changedElsewhere();
});
// Answers that a refused key broke off go on with the next one.
onSession(() => {
  if (currentKey()) for (const one of known.values()) one.goOn();
});
/** After so many milliseconds a stream that was asked to stop is no longer read. */
const STOP_WITHIN_MS = 5000;

/** Whether a request failed because its conversation is not there any more. */
export const isGone = (error) => error?.status === 404 || error?.code === "thread_gone";

/** An exchange is a question and its answer: `{key, question, turnId, answer, live, waiting, error}`. */
class Conversation {
  #listeners = new Set();
  #stops = new Map();
  #frame = 0;
  #stale = false;

  constructor(id) {
    this.id = id;
    this.exchanges = [];
    this.error = null;
    this.loading = false;
  }

  onChange(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * What the server has of it. Answers that are still being written go on where they are. Unless it is drawn `anew`,
   * what stands there as it is stays as it is, with what is marked in it.
   */
  async load({ anew = true } = {}) {
    if (this.loading || this.exchanges.some((one) => one.live)) return;
    this.loading = true;
    this.error = null;
    this.#tell();
    try {
      const messages = await allOf(`/v1/threads/${this.id}/messages`, 2000);
      // A question that was refused is nowhere else.
      const asked = this.exchanges.filter((one) => one.live || (one.error && !one.turnId));
      const shown = new Map(this.exchanges.map((one) => [one.turnId, one]));
      const stored = exchangesOf(messages).filter((one) => !asked.some(({ turnId }) => turnId === one.turnId));
      this.exchanges = [...stored.map((one) => asShown(one, shown.get(one.turnId), anew)), ...asked];
      for (const one of this.exchanges) if (one.answer.status === "running" && !one.live) this.#follow(one);
    } catch (error) {
      this.error = error;
    }
    this.loading = false;
    this.#tell();
    this.#loadStale();
  }

  /** Resolves when its answer has ended, with whether the question has come to the server. */
  ask(text) {
    const exchange = {
      key: crypto.randomUUID(),
      question: text,
      turnId: null,
      messageId: null,
      answer: { ...emptyAnswer(), threadId: this.id },
    };
    this.exchanges = [...this.exchanges, exchange];
    return this.#read(exchange, (options) =>
      askQuestion({ ...options, threadId: this.id, text, idempotencyKey: exchange.key, fetch: this.#inSession }),
    );
  }

  async stop(exchange) {
    const reading = this.#stops.get(exchange.key);
    if (exchange.turnId) await post(`/v1/turns/${exchange.turnId}:cancel`);
    setTimeout(() => reading?.abort(), exchange.turnId ? STOP_WITHIN_MS : 0);
  }

  /** Something was asked in another tab. Where nobody looks, it is loaded when somebody does. */
  changedElsewhere() {
    this.#stale = this.#listeners.size > 0;
    this.#loadStale();
  }

  #loadStale() {
    if (!this.#stale || this.loading || this.exchanges.some((one) => one.live)) return;
    this.#stale = false;
    this.load({ anew: false });
  }

  /** Reads on, with the key of now, what came to the server and was broken off by a key that was refused. */
  goOn() {
    for (const one of this.exchanges) if (one.turnId && !one.live && one.error?.status === 401) this.#follow(one);
  }

  /** It was deleted in another tab. What stands here stays to be read. */
  vanish() {
    this.close();
    this.error = new ApiError(404, { code: "thread_gone" });
    this.#tell();
  }

  /** Whether it is known to be deleted, by itself or by an answer to a question. */
  get gone() {
    return isGone(this.error) || isGone(this.exchanges[this.exchanges.length - 1]?.error);
  }

  close() {
    for (const stop of this.#stops.values()) stop.abort();
  }

  /** A question is asked in the session of the files that were attached to the conversation. */
  #inSession = (path, options) => fetch(path, { ...options, headers: { ...options.headers, ...attachments(this.id).headers } });

  #follow(exchange) {
    return this.#read(exchange, (options) => followTurn({ ...options, turnId: exchange.turnId }));
  }

  async #read(exchange, read) {
    const stop = new AbortController();
    const key = currentKey();
    this.#stops.set(exchange.key, stop);
    this.#change(exchange, { live: true, waiting: false, error: null });
    const onAnswer = (answer) => {
      if (!exchange.turnId) tabs.postMessage({ id: this.id });
      Object.assign(exchange, { answer, turnId: answer.turnId, waiting: false });
      this.#tellSoon();
    };
    const onWait = () => this.#change(exchange, { waiting: true });
    try {
      await read({ key, signal: stop.signal, onAnswer, onWait });
      this.#change(exchange, { live: false });
      this.#stops.delete(exchange.key);
      this.#loadStale();
      return true;
    } catch (error) {
      const shown = error instanceof Refused ? new ApiError(error.status, error.problem) : error;
      if (shown.status === 401 && key === currentKey()) signOut("refused");
      const ended = stop.signal.aborted ? "cancelled" : "failed";
      this.#change(exchange, {
        live: false,
        error: stop.signal.aborted ? null : shown,
        answer: { ...exchange.answer, status: ended },
      });
      this.#stops.delete(exchange.key);
      if (currentKey() && key !== currentKey()) this.goOn();
      this.#loadStale();
      return exchange.turnId !== null || stop.signal.aborted;
    }
  }

  #change(exchange, changes) {
    Object.assign(exchange, changes);
    this.exchanges = [...this.exchanges];
    this.#tell();
  }

  /** An answer may grow many times between two frames: it is shown once in each. */
  #tellSoon() {
    this.#frame ||= requestAnimationFrame(() => this.#tell());
  }

  #tell() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    for (const listener of this.#listeners) listener();
  }
}

function exchangesOf(messages) {
  const byTurn = new Map();
  for (const message of messages) {
    const one = byTurn.get(message.turn_id) ?? { key: message.turn_id, turnId: message.turn_id, question: "" };
    if (message.role === "user") one.question = message.text;
    else one.answer = answerOf(message);
    byTurn.set(message.turn_id, one);
  }
  const running = { ...emptyAnswer(), status: "running" };
  return [...byTurn.values()].map((one) => ({ ...one, answer: one.answer ?? { ...running, turnId: one.turnId } }));
}

/** An exchange as it is stored, under the key that it is drawn by; or the one that is drawn, if it says the same. */
function asShown(stored, shown, anew) {
  if (!shown) return stored;
  const same = !shown.error && shown.answer.status === stored.answer.status && shown.answer.text === stored.answer.text;
  return same && !anew && stored.answer.status !== "running" ? shown : { ...stored, key: shown.key };
}

/** An answer as it is stored. */
export function answerOf(message) {
  return {
    ...emptyAnswer(),
    status: message.status,
    turnId: message.turn_id,
    threadId: message.thread_id,
    messageId: message.id,
    text: message.text,
    entries: Object.fromEntries((message.citations ?? []).map((entry) => [entry.n, entry])),
    verification: message.verification ?? null,
    compliance: message.compliance ?? null,
    cut: message.cut ?? null,
    sharedAt: message.shared_at ?? null,
  };
}

/** Why a turn failed, in the words of the server. */
export async function reasonOf(turnId) {
  const turn = await get(`/v1/turns/${turnId}`);
  return turn.error?.detail ?? "";
}
