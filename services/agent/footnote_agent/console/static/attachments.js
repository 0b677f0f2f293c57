// Files for one conversation: uploads of a session, which nobody else finds and which end with it (docs/adr/0065).
// The name of the session and of its files are kept for the tab, so that a reload goes on with them.

import { post, remove, send } from "./api.js";
import { ENDED } from "./uploads.js";

/** Files that one conversation may have. */
export const MOST_FILES = 10;
const LOOK_EVERY_MS = 1000;
const LONGEST_PAUSE_MS = 15_000;
const at = (name) => `footnote.session.${name}`;
const known = new Map();

/** The files of a conversation, by its id; before there is one, by the name of the draft that begins it. */
export function attachments(name) {
  if (!known.has(name)) known.set(name, new Attachments(name));
  return known.get(name);
}

/** The conversation has begun: what was attached to its draft is its own from now on. */
export function attachTo(name, id) {
  const moved = attachments(name);
  known.delete(name);
  known.set(id, moved);
  moved.rename(id);
}

/** The conversation is deleted: its files go with it. */
export async function endAttachments(id) {
  const ended = attachments(id);
  known.delete(id);
  await ended.end();
}

/** A file is `{key, name, status, documentId?, document?, error?}`; a status is that of its document, or `uploading`,
 * `refused`, or `broken` where a reload came before the upload's end. */
class Attachments {
  #name;
  #listeners = new Set();
  #looking = false;

  constructor(name) {
    this.#name = name;
    const kept = JSON.parse(sessionStorage.getItem(at(name)) ?? "null");
    this.session = kept?.session ?? crypto.randomUUID();
    this.files = (kept?.files ?? []).map((one) => ({ ...one, status: one.documentId ? "queued" : "broken" }));
    if (this.#open().length) this.#look();
  }

  onChange(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Whether a question has to wait: a file that is not read yet would not be found. */
  get busy() {
    return this.files.some((one) => one.status === "uploading" || (one.documentId && !ENDED.has(one.status)));
  }

  /** The headers by which a request is made in the session; none while nothing was handed in. */
  get headers() {
    return this.files.some(({ documentId }) => documentId) ? { "Footnote-Session": this.session } : {};
  }

  add(files) {
    const room = Math.max(0, MOST_FILES - this.files.length);
    const fresh = files.slice(0, room).map((file) => ({ key: crypto.randomUUID(), name: file.name, file, status: "uploading" }));
    this.files = [...this.files, ...fresh];
    this.#tell();
    for (const one of fresh) this.#send(one);
    return files.length <= room;
  }

  retry(one) {
    this.#change(one, { status: "uploading", error: null });
    return this.#send(one);
  }

  async remove(one) {
    if (one.documentId && one.status !== "deleted") {
      try {
        await send("DELETE", `/v1/documents/${one.documentId}`, { headers: this.headers });
      } catch (error) {
        if (error.status !== 404) throw error;
      }
    }
    one.removed = true;
    this.files = this.files.filter((other) => other !== one);
    this.#tell();
  }

  rename(name) {
    sessionStorage.removeItem(at(this.#name));
    this.#name = name;
    this.#tell();
  }

  async end() {
    const held = this.files.some(({ documentId }) => documentId);
    this.files = [];
    this.#tell();
    if (held) await remove(`/v1/sessions/${this.session}`);
  }

  async #send(one) {
    const form = new FormData();
    form.append("session_id", this.session);
    form.append("file", one.file, one.name);
    const headers = { "Idempotency-Key": one.key, "Footnote-Session": this.session };
    try {
      const document = await send("POST", "/v1/documents", { body: form, headers });
      this.#change(one, { document, documentId: document.id, status: document.status, file: null });
      if (one.removed) await send("DELETE", `/v1/documents/${document.id}`, { headers });
      else this.#look();
    } catch (error) {
      this.#change(one, { status: "refused", error });
    }
  }

  #open() {
    return this.files.filter((one) => one.documentId && !ENDED.has(one.status));
  }

  /** Asks how far the files are, as long as one of them has not ended. */
  async #look() {
    if (this.#looking) return;
    this.#looking = true;
    for (let pause = 0; this.#open().length; ) {
      await new Promise((resolve) => setTimeout(resolve, pause));
      const open = this.#open();
      try {
        const { items } = await post("/v1/documents:lookup", { ids: open.map(({ documentId }) => documentId) }, { headers: this.headers });
        const found = new Map(items.map((document) => [document.id, document]));
        for (const one of open) {
          const document = found.get(one.documentId);
          Object.assign(one, document ? { document, status: document.status } : { status: "deleted" });
        }
        pause = LOOK_EVERY_MS;
        this.#tell();
      } catch (error) {
        // Somebody who has to sign in again is not asked for every second.
        pause = Math.min(2 * Math.max(pause, LOOK_EVERY_MS), LONGEST_PAUSE_MS);
      }
    }
    this.#looking = false;
  }

  #change(one, changes) {
    Object.assign(one, changes);
    this.#tell();
  }

  #tell() {
    this.files = [...this.files];
    const files = this.files.map(({ key, name, documentId }) => ({ key, name, documentId }));
    if (files.length) sessionStorage.setItem(at(this.#name), JSON.stringify({ session: this.session, files }));
    else sessionStorage.removeItem(at(this.#name));
    for (const listener of this.#listeners) listener();
  }
}
