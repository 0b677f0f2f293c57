// Who is signed in: the key, where it is kept, and who wants to know when that changes.

import { say } from "./strings.js";

const NAME = "footnote.key";
/** Whose page this is: workspace and avatar, for the tab alone. */
const WHO = "footnote.who";
/** A key was refused before anybody told whose it is. */
const NOBODY = "nobody";
const listeners = new Set();
const stored = () => localStorage.getItem(NAME) ?? sessionStorage.getItem(NAME) ?? "";
let key = stored();
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
  if (!found) return;
  if (given[1] === "once") void inTurn(() => redeem(found).catch(() => remain("again")));
  else if (found !== key && mayBegin()) begin(found);
}

/** One tab after the other, where the browser can do that: the link signs in one of them, and so all. */
const inTurn = (act) => navigator.locks?.request("footnote.link", act) ?? act();

const mayBegin = () => !(key ||= stored()) || confirm(say("signIn.another"));

function begin(given) {
  take(given, true);
  tell();
  void recognise();
}

/**
 * Signs in by the key of a link, and has it renewed: what the browser keeps in its history opens nothing then.
 *
 * Whoever is signed in as the same person or does not agree stays who they are, and the key of the link is revoked.
 */
async function redeem(link) {
  const mine = await asKey(link, ":mine");
  if (!mine) return remain("used");
  const same = (key ||= stored()) && (await holderOf(key)) === nameOf(mine);
  if (link !== key && (same || !mayBegin())) return void (await asKey(link, `/${mine.key_id}`, "DELETE"));
  const made = await asKey(link, `/${mine.key_id}:renew`, "POST");
  if (made) begin(made.key);
  else remain("used");
}

/** The link signs nobody in, for this cause. A key that is there stays; another tab may have had it from the link. */
function remain(because) {
  const found = stored();
  if (!found) refused = because;
  else if (because === "again") alert(say("signIn.again"));
  if (found === key) return tell();
  key = found;
  tell();
  void recognise();
}

/** A part of an address. Nothing where it was cut in the middle of a sign. */
export function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}

/** Null where the key is refused; throws where the server does not do what it is asked for. */
async function asKey(given, path, method = "GET") {
  const response = await fetch(`/v1/keys${path}`, { method, headers: { Authorization: `Bearer ${given.trim()}` } });
  if (response.status === 401) return null;
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return response.json();
}

const nameOf = (mine) => mine && `${mine.workspace_id}/${mine.avatar_id}`;

/** Whom a key stands for. Null where it is refused; throws where the server does not answer. */
export const holderOf = async (given) => nameOf(await asKey(given, ":mine"));

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

/** Why nobody is signed in: the key was `refused`, that of a link `used` or `again`, or another tab was signed out, `elsewhere`. */
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
  refused = !key && "elsewhere";
  tell();
  void recognise();
});

function tell() {
  for (const listener of listeners) listener();
}
