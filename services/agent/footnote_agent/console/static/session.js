// Who is signed in: the key, where it is kept, and who wants to know when that changes.

import { say } from "./strings.js";

const NAME = "footnote.key";
/** Whose page this is: workspace and avatar, for the tab alone. */
const WHO = "footnote.who";
/** A key was refused before anybody told whose it is. */
const NOBODY = "nobody";
const listeners = new Set();
let key = localStorage.getItem(NAME) ?? sessionStorage.getItem(NAME) ?? "";
let refused = false;

/**
 * Takes the key out of the address, once: it does not stay in the bar or in the history.
 *
 * Anybody can make such a link. Whoever is signed in is asked, or what they write would go to a stranger's workspace.
 */
export function takeKeyFromAddress() {
  const given = /^#(key|once)=([^&]+)/.exec(location.hash);
  if (!given) return;
  history.replaceState(null, "", `${location.pathname}#/ask`);
  const found = decoded(given[2]).trim();
  if (!found || found === key) return;
  if (given[1] === "once") redeem(found).catch(() => undefined);
  else if (mayBegin()) begin(found);
}

const mayBegin = () => !key || refused || confirm(say("signIn.another"));

function begin(given) {
  take(given, true);
  tell();
  void recognise();
}

/**
 * Signs in by the key of a link, and has it renewed: what the browser keeps in its history opens nothing then.
 *
 * Whoever is signed in as the same person stays so, and the link stays good for another browser.
 */
async function redeem(link) {
  const headers = { Authorization: `Bearer ${link}` };
  const holder = await holderOf(link);
  if (holder === null) {
    refused = key ? refused : "used";
    return tell();
  }
  if ((key && holder === (await holderOf(key))) || !mayBegin()) return;
  const { items } = await (await fetch("/v1/keys?limit=200", { headers })).json();
  const { id } = items.find((one) => one.current);
  begin((await (await fetch(`/v1/keys/${id}:renew`, { method: "POST", headers })).json()).key);
}

/** A part of an address. Nothing where it was cut in the middle of a sign. */
export function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}

/** Whom a key stands for. Null where it is refused; throws where the server does not answer. */
export async function holderOf(given) {
  const response = await fetch("/v1/keys:mine", { headers: { Authorization: `Bearer ${given.trim()}` } });
  if (response.status === 401) return null;
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const { workspace_id: workspace, avatar_id: avatar } = await response.json();
  return `${workspace}/${avatar}`;
}

/** Notes whose page this is. What stands on it is somebody else's: then the page begins anew. */
function noteHolder(holder) {
  const former = sessionStorage.getItem(WHO);
  const another = former !== null && former !== holder;
  if (another) forget();
  sessionStorage.setItem(WHO, holder);
  return another;
}

/** Asks whose the key is that came from elsewhere: from the address, another tab, an earlier visit. */
export async function recognise() {
  const asked = key;
  if (!asked) return;
  const holder = await holderOf(asked).catch(() => null);
  if (holder === null || asked !== key) return;
  if (noteHolder(holder)) keepAndBegin(asked, localStorage.getItem(NAME) !== null);
}

export const currentKey = () => key;

/** Whether the server has refused the key that was given: `refused`, or `used` for that of a link. */
export const wasRefused = () => refused;

/** `holder` is whom the key stands for. Whoever is not the one before finds nothing of theirs. */
export function signIn(given, stay, holder) {
  if (noteHolder(holder)) keepAndBegin(given.trim(), stay);
  else {
    take(given.trim(), stay);
    tell();
  }
}

function keepAndBegin(given, stay) {
  take(given, stay);
  history.replaceState(null, "", `${location.pathname}#/ask`);
  location.reload();
}

function take(given, stay) {
  key = given;
  refused = false;
  localStorage.removeItem(NAME);
  sessionStorage.removeItem(NAME);
  (stay ? localStorage : sessionStorage).setItem(NAME, key);
}

/** Forgets the key. What was typed stays on the page, below the form that asks for a new one. */
export function signOut(because = "") {
  if (!key && !because) return;
  key = "";
  refused = because === "refused" && because;
  if (refused && !sessionStorage.getItem(WHO)) sessionStorage.setItem(WHO, NOBODY);
  localStorage.removeItem(NAME);
  sessionStorage.removeItem(NAME);
  tell();
}

/** Somebody leaves: nothing of theirs stays for whoever comes after them. */
export function leave() {
  forget();
  signOut("wish");
  history.replaceState(null, "", `${location.pathname}#/ask`);
  location.reload();
}

function forget() {
  for (const name of Object.keys(sessionStorage)) if (name.startsWith("footnote.")) sessionStorage.removeItem(name);
}

export function onSession(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// Another tab that signs out or in does so for all of them.
addEventListener("storage", (event) => {
  if (event.key !== NAME) return;
  key = event.newValue ?? "";
  tell();
  void recognise();
});

function tell() {
  for (const listener of listeners) listener();
}
