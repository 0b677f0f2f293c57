// Requests to the public API, with the key of the session. What goes wrong is an `ApiError` that people can read.

import { currentKey, signOut } from "./session.js";

/** `code` and `detail` are those of the problem document; `status` is 0 where the server did not answer. */
export class ApiError extends Error {
  constructor(status, problem) {
    super(problem.detail || problem.title || `HTTP ${status}`);
    this.name = "ApiError";
    this.status = status;
    this.code = problem.code ?? (status === 0 ? "offline" : "");
    this.errors = problem.errors ?? [];
  }
}

export async function send(method, path, { body, headers, signal, raw = false } = {}) {
  const isForm = body instanceof FormData;
  const used = currentKey();
  let response;
  try {
    response = await fetch(path, {
      method,
      signal,
      body: body === undefined || isForm ? body : JSON.stringify(body),
      headers: {
        Authorization: `Bearer ${used}`,
        ...(body === undefined || isForm ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, {});
  }
  if (!response.ok) await refuse(response, used);
  if (raw) return response;
  return response.status === 204 ? null : response.json();
}

async function refuse(response, used) {
  if (response.status === 401 && used === currentKey()) signOut("refused");
  throw new ApiError(response.status, await response.json().catch(() => ({})));
}

export const get = (path, options) => send("GET", path, options);
export const post = (path, body, options) => send("POST", path, { body, ...options });
export const remove = (path) => send("DELETE", path);

/** A path with a query; what is absent is left out, a list is repeated. */
export function withQuery(path, parameters) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined && one !== "") query.append(name, one);
  }
  return query.size ? `${path}?${query}` : path;
}

/** All items of a listing, up to `most`. */
export async function allOf(path, most = 1000) {
  const items = [];
  let cursor;
  do {
    const page = await get(withQuery(path, { limit: 200, cursor }));
    items.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor && items.length < most);
  return items;
}

/** Gives the reader the original of a document. What a browser would run is saved, never opened. */
export async function openOriginal(url, filename, headers) {
  const [path, fragment = ""] = url.split("#");
  if (!path.startsWith("/v1/")) throw new ApiError(400, { detail: url });
  const response = await send("GET", path, { raw: true, headers });
  const shown = (response.headers.get("Content-Type") ?? "").startsWith("application/pdf");
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob()) + (shown && fragment ? `#${fragment}` : "");
  if (shown) link.target = "_blank";
  else link.download = filename || "document";
  link.rel = "noopener";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
