// The text of an answer as elements. It is text of a model that has read text of documents, so: no raw HTML,
// no images, links to http and https alone, and everything goes through the sanitiser on its way to the page.

import "dompurify"; // both put their names at the global object
import "markdown-it";
import { MARK, decided, markDoubts, mended } from "./answer_text.js";
import { TOKEN, hold, visible } from "./footnote-citations.js";
import { directionOf } from "./highlight.js";

const TOKEN_HERE = new RegExp(`^${TOKEN.source}`);

const md = globalThis.markdownit({ html: false, linkify: false, typographer: false, breaks: false });
md.disable("reference"); // `[citation:1]: https://…` would make an address of a citation
md.validateLink = (address) => /^https?:\/\//i.test(address.trim());
md.inline.ruler.before("link", "citation", (state, silent) => {
  if (state.src[state.pos] !== "[") return false;
  const found = TOKEN_HERE.exec(state.src.slice(state.pos, state.pos + 24));
  if (!found) return false;
  if (!silent) state.push("citation", "sup", 0).meta = found[1];
  state.pos += found[0].length;
  return true;
});
md.renderer.rules.citation = (tokens, i) => `<sup data-n="${tokens[i].meta}"></sup>`;
md.renderer.rules.image = (tokens, i) => md.utils.escapeHtml(tokens[i].content);
for (const cell of ["th_open", "td_open"]) {
  md.renderer.rules[cell] = (tokens, i, options, env, self) => {
    const style = tokens[i].attrGet("style");
    tokens[i].attrs = style ? [["data-align", style.replace("text-align:", "")]] : null;
    return self.renderToken(tokens, i, options);
  };
}

// What cannot begin a line, among the marks of doubtful sentences.
const PUNCTUATION = /^(?:\u27ec\/?\d{1,9}\u27ed|(?![\u27ec\u27ed])[\p{Pe}\p{Pf}\p{Po}\p{Pd}\u201c]){1,12}/u;

const purify = globalThis.DOMPurify(window);
const RULES = {
  ALLOWED_TAGS:
    "p br hr em strong s code pre blockquote ul ol li h1 h2 h3 h4 h5 h6 table thead tbody tr th td a sup".split(" "),
  ALLOWED_ATTR: ["href", "start", "data-n", "data-align"],
  ALLOWED_URI_REGEXP: /^https?:\/\//i,
  ADD_URI_SAFE_ATTR: ["start", "data-n", "data-align"],
  ALLOW_ARIA_ATTR: false,
  ALLOW_DATA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
};

/** The elements of some Markdown. `pillOf(n)` makes what stands for a citation. */
function elementsOf(source, pillOf) {
  const fragment = purify.sanitize(md.render(source), RULES);
  for (const mark of fragment.querySelectorAll("sup[data-n]")) {
    // A number does not begin a line: it stays with the word that it stands behind.
    const before = mark.previousSibling;
    if (before?.nodeType === Node.TEXT_NODE) before.data = before.data.replace(/ $/, "\u202f");
    const pill = pillOf(Number(mark.dataset.n));
    mark.replaceWith(pill);
    hold(pill, PUNCTUATION);
  }
  for (const link of fragment.querySelectorAll("a")) dressLink(link);
  for (const block of fragment.querySelectorAll("p, li, h1, h2, h3, h4, h5, h6, td, th")) block.dir = "auto";
  for (const block of fragment.querySelectorAll("table, ul, ol, blockquote")) block.dir = directionOf(block.textContent);
  for (const block of fragment.querySelectorAll("pre")) block.dir = "ltr";
  for (const block of fragment.querySelectorAll("pre, table")) block.tabIndex = 0;
  return fragment;
}

/** A link says where it leads, and gives nothing away to whom it leads to. */
function dressLink(link) {
  if (!link.href || !/^https?:$/.test(link.protocol)) {
    link.replaceWith(...link.childNodes);
    return;
  }
  link.target = "_blank";
  link.rel = "noopener noreferrer nofollow";
  link.title = visible(link.href);
  if (!link.textContent.includes(link.host)) link.dataset.host = link.host;
}

/** A drawing that took longer than this is followed by a rest, so that the page has time for its reader. */
const SHORT_MS = 12;
const REST = 3;
const LONGEST_REST_MS = 1000;

/**
 * Draws one answer. Blocks that are finished are drawn once, so that a long answer costs no more at its end. A
 * block that is very long itself, such as a list of thousands, is drawn less often the longer it is.
 */
export class DrawnAnswer {
  #element;
  #pillOf;
  #settled = 0;
  #settledNodes = 0;
  #text = "";
  #coming = "";
  #timer = 0;
  #restUntil = 0;

  constructor(element, pillOf) {
    this.#element = element;
    this.#pillOf = pillOf;
  }

  /** The text so far, which only grows; any other one is drawn anew. */
  grow(text) {
    this.#coming = text;
    if (this.#timer) return;
    const rest = this.#restUntil - performance.now();
    if (rest > 0) this.#timer = setTimeout(() => this.#draw(), rest);
    else this.#draw();
  }

  #draw() {
    this.#timer = 0;
    const begun = performance.now();
    this.#drawn(this.#coming);
    const took = performance.now() - begun;
    this.#restUntil = took > SHORT_MS ? begun + took + Math.min(REST * took, LONGEST_REST_MS) : 0;
  }

  #drawn(text) {
    if (!text.startsWith(this.#text)) this.#clear();
    this.#text = text;
    const tail = text.slice(this.#settled);
    const start = lastBlock(tail.slice(0, decided(tail)));
    if (start > 0) {
      this.#dropTail();
      this.#element.append(elementsOf(visible(tail.slice(0, start)), this.#pillOf));
      this.#settled += start;
      this.#settledNodes = this.#element.childNodes.length;
    }
    this.#replaceTail(elementsOf(visible(mended(tail.slice(start))), this.#pillOf));
  }

  /** The text at its end, with its doubtful sentences wrapped by `wrapDoubt(doubt)`. */
  finish(text, doubtful, wrapDoubt) {
    clearTimeout(this.#timer);
    this.#timer = 0;
    const { text: marked, doubts } = markDoubts(visible(text), doubtful);
    const fragment = elementsOf(marked, this.#pillOf);
    wrapDoubts(fragment, doubts, wrapDoubt);
    this.#element.replaceChildren(fragment);
    this.#text = "";
    this.#settled = this.#settledNodes = 0;
    return doubts;
  }

  #clear() {
    this.#element.replaceChildren();
    this.#settled = this.#settledNodes = 0;
  }

  #dropTail() {
    while (this.#element.childNodes.length > this.#settledNodes) this.#element.lastChild.remove();
  }

  #replaceTail(fragment) {
    const fresh = [...fragment.childNodes].filter((node) => node.nodeType === Node.ELEMENT_NODE);
    renew(this.#element, this.#settledNodes, fresh);
  }
}

/**
 * Makes the children of an element from number `from` on like the fresh ones. What has not changed stays in
 * place: a selection in it survives, code stays where it was moved to, and a long list is not laid out anew for each word.
 */
function renew(element, from, fresh) {
  fresh.forEach((node, i) => {
    const old = element.childNodes[from + i];
    if (!old) element.append(node);
    else if (old.isEqualNode(node)) return;
    else if (old.nodeType === Node.TEXT_NODE && node.nodeType === Node.TEXT_NODE) renewText(old, node.data);
    else if (old.nodeName === "BUTTON" || !sameTag(old, node)) old.replaceWith(node);
    else {
      if (node.dir) old.dir = node.dir;
      renew(old, 0, [...node.childNodes]);
    }
  });
  while (element.childNodes.length > from + fresh.length) element.lastChild.remove();
}

function renewText(old, text) {
  if (text.startsWith(old.data)) old.appendData(text.slice(old.length));
  else old.data = text;
}

/** Whether two elements differ in nothing but the direction of what they hold, which may show late, and in that. */
function sameTag(old, node) {
  const [one, other] = [old.cloneNode(false), node.cloneNode(false)];
  for (const element of [one, other]) element.removeAttribute?.("dir");
  return one.isEqualNode(other);
}

/** Where the last block of a text begins: what stands before it can no longer change. */
function lastBlock(text) {
  let line = 0;
  for (const token of parsed(text)) if (token.level === 0 && token.map) line = token.map[0];
  let at = 0;
  for (let i = 0; i < line; i += 1) at = text.indexOf("\n", at) + 1;
  return at;
}

function parsed(text) {
  const tokens = [];
  md.block.parse(text, md, {}, tokens);
  return tokens;
}

function wrapDoubts(fragment, doubts, wrapDoubt) {
  if (!doubts.length) return;
  const walker = document.createTreeWalker(fragment, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  const nodes = [];
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node.nodeType === Node.TEXT_NODE ? !node.parentElement?.closest("button") : node.matches("button")) nodes.push(node);
  }
  let open = null;
  for (const node of nodes) {
    if (node.nodeType === Node.ELEMENT_NODE) {
      if (open !== null) wrapAll([node], doubts[open], wrapDoubt);
      continue;
    }
    let done = 0;
    const made = [];
    const keep = (text) => {
      if (!text) return;
      const piece = document.createTextNode(text);
      made.push(piece);
      // Between the items of a list or the cells of a table stands nothing but space.
      if (open === null || node.parentElement?.matches("ul, ol, table, thead, tbody, tr")) return;
      const wrapper = wrapDoubt(doubts[open]);
      wrapper.append(piece);
      made[made.length - 1] = wrapper;
    };
    for (const mark of node.data.matchAll(MARK)) {
      keep(node.data.slice(done, mark.index));
      open = mark[1] ? null : Number(mark[2]);
      done = mark.index + mark[0].length;
    }
    keep(node.data.slice(done));
    node.replaceWith(...made);
  }
}

function wrapAll(nodes, doubt, wrapDoubt) {
  const wrapper = wrapDoubt(doubt);
  nodes[0].replaceWith(wrapper);
  wrapper.append(...nodes);
}
