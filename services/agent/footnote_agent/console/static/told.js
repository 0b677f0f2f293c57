// What the server tells in a sentence, in the language of the reader. The server writes English. Each of its
// sentences stands in `strings/LANGUAGE/server` beside its translation, with `{}` for each value: a test holds these
// lists to the code of the server. A sentence that is in none is shown as it came, marked as English.

import { useEffect, useState } from "preact/hooks";
import { visible } from "./footnote-citations.js";
import { html } from "./html.js";
import { piecesOf, sentencesOf } from "./server_sentences.js";
import { language, number, say } from "./strings.js";

/** A sign that no text of the page has. */
const HERE = "\0";
/** The sentences that are known; null until the list of the language is there. Readers of English need none. */
let known = language === "en" ? [] : null;
let coming = null;

/** Asks for the list once, when there is something to tell. Without it the page goes on, and shows what came. */
function load() {
  coming ??= import(`./strings/${language}/server/all.js`).then(({ server }) => server, () => []).then((list) => (known = sentencesOf(list)));
  return coming;
}

function useSentences() {
  const [, redraw] = useState(known !== null);
  useEffect(() => void (known ?? load().then(() => redraw(true))), []);
}

const told = (text) =>
  piecesOf(visible(text ?? ""), known ?? []).map((piece) => (typeof piece.text === "number" ? { ...piece, text: number(piece.text) } : piece));

/** What was told as one text, where a text alone can stand. */
export const toldText = (text) => told(text).map((piece) => piece.text).join("");

/** What was told, with what stays English marked for whoever has it read aloud. Signs of Markdown are left out. */
export function Told({ text, without = "" }) {
  useSentences();
  if (known === null) return null;
  return told(text).map((piece) => {
    const shown = without ? piece.text.replaceAll(without, "") : piece.text;
    return piece.foreign ? html`<span lang="en">${shown}</span>` : shown;
  });
}

/** What was told, and before it `words` where something of it stays in a language that is not the reader's. */
export function ToldWith({ text, words }) {
  useSentences();
  return html`${told(text).some(({ foreign }) => foreign) && `${words} `}<${Told} text=${text} />`;
}

/** Words of the page around something that was told: `{name}` in them stands for it. */
export function around(key, name, told) {
  const [before, behind] = say(key, { [name]: HERE }).split(HERE);
  return html`${before}${told}${behind}`;
}
