// Who works by keyboard is somewhere on the page. Where that place disappears, the browser begins again at the top
// of the page: the row that was deleted, the button that was needed once, the form that was saved. So the place is
// noted, and whoever loses it goes on at the next one.

const FOCUSABLE = "a[href], button:not(:disabled), input:not(:disabled):not([hidden]), select:not(:disabled), textarea:not(:disabled), summary";
const ROW = "tr, li, article";
let last = null;
/** A button that waits for what it began, and where its reader is meanwhile: `{place, at}`. */
let waiting = null;

/** Notes each place, and finds another one when it is taken away. */
export function keepFocus() {
  addEventListener("focusin", ({ target }) => (last = placeOf(target)));
  // Whoever points at something that takes no focus has left by themselves.
  addEventListener("pointerdown", ({ target }) => last && !last.element.contains(target) && (last = null));
  new MutationObserver(goOn).observe(document.body, { childList: true, subtree: true, attributeFilter: ["disabled"] });
}

/** A place, with what is needed to find one like it: the elements around it, its row, and which of its parts it was. */
function placeOf(element) {
  const row = element.closest(ROW);
  const around = [];
  for (let one = element.parentElement; one; one = one.parentElement) around.push(one);
  const rows = row ? [...row.parentElement.children] : [];
  return { element, id: element.id, name: nameOf(element), around, list: row?.parentElement, row, at: rows.indexOf(row), part: row ? partsOf(row).indexOf(element) : -1 };
}

function goOn() {
  const { activeElement } = document;
  if (waiting) goBack(activeElement);
  if (!last || (activeElement && activeElement !== document.body)) return;
  if (last.element.isConnected && !last.element.disabled) return;
  const place = last;
  const next = nextOf(place);
  last = null;
  next?.focus({ preventScroll: true });
  waiting = place.element.isConnected ? { place, at: document.activeElement } : null;
  if (next) next.scrollIntoView({ block: "nearest" });
}

/** Whoever did not go elsewhere meanwhile is at the button again when it can be pressed. */
function goBack(activeElement) {
  const { place, at } = waiting;
  if (place.element.isConnected && place.element.disabled && activeElement === at) return;
  waiting = null;
  if (place.element.isConnected && activeElement === at) place.element.focus({ preventScroll: true });
}

/** The same part drawn anew, else one of its row, of the row that came up or of one near it, else the view. */
function nextOf(place) {
  const around = place.around.find((one) => one.isConnected) ?? document.body;
  const same = place.id ? document.getElementById(place.id) : partsOf(around).find((one) => nameOf(one) === place.name);
  if (same?.matches(FOCUSABLE)) return same;
  const rows = place.list?.isConnected ? [...place.list.children] : [];
  const from = place.row?.isConnected ? rows.indexOf(place.row) : place.at;
  for (const row of [...rows.slice(from), ...rows.slice(0, from).reverse()]) {
    const parts = partsOf(row);
    if (parts.length) return parts[Math.min(place.part, parts.length - 1)];
  }
  return content();
}

const partsOf = (within) => [...within.querySelectorAll(FOCUSABLE)].filter((one) => one.checkVisibility() && !one.closest("[inert]"));
const nameOf = (element) => `${element.localName} ${element.getAttribute("aria-label") ?? element.textContent}`;
const content = () => document.getElementById("content");
