// The sample documents: an empty library offers them, and where they are, their questions are offered.

import { useEffect, useState } from "preact/hooks";
import { get, send, withQuery } from "../api.js";
import { NEW, draftOf, keepDraft } from "../drafts.js";
import { html } from "../html.js";
import { Icon, Problem, useLoaded } from "../parts.js";
import { say } from "../strings.js";
import { beginTour, offerTour } from "../tour.js";
import { upload } from "../uploads.js";

const AT = "/console/samples";
const OFFERED = 3;

/** Offers the samples; once they are on their way, the library shows how far they are. */
export function SampleOffer() {
  const [taking, setTaking] = useState(false);
  const [error, setError] = useState(null);
  const { data: corpus } = useLoaded((signal) => get(`${AT}/corpus.json`, { signal }), []);
  if (!corpus) return null;

  async function take() {
    setTaking(true);
    setError(null);
    try {
      upload(await Promise.all(corpus.files.map((path) => sampleFile(corpus, path))));
      location.hash = "#/library";
    } catch (problem) {
      setError(problem);
      setTaking(false);
    }
  }

  return html`<section class="samples" aria-label=${say("samples.title")}>
    <p>${say("samples.offer", { count: corpus.files.length, title: corpus.title })}</p>
    <p class="row"><button disabled=${taking} onClick=${take}><${Icon} name="upload" />${say(taking ? "samples.taking" : "samples.take")}</button></p>
    <${Problem} error=${error} onRetry=${take} />
    <p class="hint">${say("samples.then")}</p>
    <ul>${offered(corpus).map(({ text }) => html`<li>${text}</li>`)}</ul>
  </section>`;
}

/** The questions, where the samples are among the documents of this reader. */
export function SampleQuestions({ onAsk = askSoon, withTour = false }) {
  const { data: corpus } = useLoaded(async (signal) => {
    const found = await get(`${AT}/corpus.json`, { signal });
    const { items } = await get(withQuery("/v1/documents", { folder: found.folder, limit: 1 }), { signal });
    return items.length ? found : null;
  }, []);
  useEffect(() => {
    if (corpus && withTour) offerTour(corpus);
  }, [corpus]);
  if (!corpus) return null;
  return html`<section class="samples" aria-label=${say("samples.questions", { title: corpus.title })}>
    <p class="hint">${say("samples.questions", { title: corpus.title })}</p>
    <ul>${offered(corpus).map(({ text }) => html`<li><button class="link" onClick=${() => onAsk(text)}>${text}</button></li>`)}</ul>
    ${withTour && html`<p><button class="quiet" onClick=${() => beginTour(corpus)}>${say("tour.show")}</button></p>`}
  </section>`;
}

const offered = (corpus) => corpus.questions.slice(0, OFFERED);

/** Puts the question where one asks, ready to be sent, behind what was typed there. */
function askSoon(text) {
  keepDraft(NEW, [draftOf(NEW), text].filter(Boolean).join("\n"));
  location.hash = "#/ask";
}

async function sampleFile(corpus, path) {
  const parts = path.split("/");
  const name = parts.pop();
  const answer = await send("GET", `${AT}/files/${path}`, { raw: true });
  return { file: new File([await answer.blob()], name), folder: [corpus.folder, ...parts].join("/") };
}
