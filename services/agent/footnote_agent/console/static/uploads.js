// Uploads as the page knows them: what is being sent, what the server makes of it, and how long that takes.
// They outlive the view. A list of names is enough to follow them, so a thousand files are no burden.

import { post, send } from "./api.js";

export const ENDED = new Set(["indexed", "failed", "skipped", "deleted"]);
const AT_ONCE = 3;
const LOOK_EVERY_MS = 1000;
const MOST_ASKED = 200;
const listeners = new Set();
let waiting = [];
let sending = 0;
let looking = false;
let started = 0;

/** `{key, name, status, document?, error?}`; a status is that of the document, or `uploading` or `refused`. */
export let uploads = [];

export function onUploads(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Begin to send files: `{file, folder}`, the folder as a path. */
export function upload(files) {
  if (!uploads.some((one) => !over(one))) started = Date.now();
  const fresh = files.map(({ file, folder }) => ({
    key: crypto.randomUUID(),
    name: file.name,
    folder,
    file,
    status: "uploading",
  }));
  uploads = [...fresh, ...uploads];
  waiting.push(...fresh);
  tell();
  for (let i = sending; i < AT_ONCE; i += 1) sendNext();
}

export const clearUploads = () => {
  uploads = uploads.filter((one) => !over(one));
  tell();
};

/** Try again what was refused on its way here, or what failed on the server. */
export async function retryUpload(one) {
  if (one.document) {
    change(one, { document: await post(`/v1/documents/${one.document.id}:retry`), status: "queued" });
    look();
  } else {
    change(one, { status: "uploading", error: null });
    waiting.push(one);
    sendNext();
  }
}

/** What no second try changes: the kind of the file, its size, what it says of itself. */
const FINAL = new Set([400, 413, 415, 422]);

/** Whether an upload came to a bad end that another try may change. */
export const mayHelp = ({ status, document, error }) =>
  (status === "refused" && !FINAL.has(error?.status)) || (status === "failed" && Boolean(document.error?.retryable));

export const over = (one) => ENDED.has(one.status) || one.status === "refused";

/** Documents a minute since the first of these uploads began, and how long the rest takes at that rate. */
export function rateOf(list, now = Date.now()) {
  const done = list.filter(over).length;
  const minutes = (now - started) / 60_000;
  if (!done || !minutes) return null;
  return { perMinute: done / minutes, leftMs: ((list.length - done) / done) * minutes * 60_000 };
}

// Files that are still being sent go with the page: the browser asks before it leaves.
addEventListener("beforeunload", (event) => {
  if (uploads.some(({ status }) => status === "uploading")) event.preventDefault();
});

async function sendNext() {
  const one = waiting.shift();
  if (!one) return;
  sending += 1;
  const form = new FormData();
  form.append("file", one.file, one.name);
  if (one.folder) form.append("folder", one.folder);
  try {
    const document = await send("POST", "/v1/documents", { body: form, headers: { "Idempotency-Key": one.key } });
    change(one, { document, status: document.status, file: null });
    look();
  } catch (error) {
    change(one, { status: "refused", error });
  }
  sending -= 1;
  sendNext();
}

/** Asks how far the documents are, as long as one of them has not ended. */
async function look() {
  if (looking) return;
  looking = true;
  for (let pause = LOOK_EVERY_MS; ; ) {
    const open = uploads.filter((one) => one.document && !over(one)).slice(-MOST_ASKED);
    if (!open.length) break;
    await new Promise((resolve) => setTimeout(resolve, pause));
    try {
      const { items } = await post("/v1/documents:lookup", { ids: open.map(({ document }) => document.id) });
      const found = new Map(items.map((document) => [document.id, document]));
      for (const one of open) {
        const document = found.get(one.document.id);
        Object.assign(one, document ? { document, status: document.status } : { status: "deleted" });
      }
      pause = LOOK_EVERY_MS;
      tell();
    } catch (error) {
      if (error.status === 401) break;
      pause = Math.min(2 * pause, 15_000);
    }
  }
  looking = false;
}

function change(one, changes) {
  Object.assign(one, changes);
  tell();
}

function tell() {
  uploads = [...uploads];
  for (const listener of listeners) listener();
}

/** The files of a drop, with those in its folders, each with the folder where it belongs. */
export async function filesOf(dropped, into) {
  const entries = [...dropped.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return [...dropped.files].map((file) => ({ file, folder: into }));
  const found = [];
  const open = entries.map((entry) => [entry, into]);
  while (open.length) {
    const [entry, folder] = open.pop();
    if (entry.isFile) found.push({ file: await new Promise((yes, no) => entry.file(yes, no)), folder });
    else for (const inner of await childrenOf(entry)) open.push([inner, joined(folder, entry.name)]);
  }
  return found;
}

/** The files of a chosen folder, from the paths that the browser gives them. */
export const chosen = (files, into) =>
  [...files].map((file) => {
    const below = (file.webkitRelativePath ?? "").split("/").slice(0, -1).join("/");
    return { file, folder: below ? joined(into, below) : into };
  });

const joined = (folder, name) => `${folder.replace(/\/$/, "")}/${name}`;

async function childrenOf(entry) {
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    // A browser gives at most a hundred at a time, and an empty list at the end.
    const some = await new Promise((yes, no) => reader.readEntries(yes, no));
    if (!some.length) return found;
    found.push(...some);
  }
}
