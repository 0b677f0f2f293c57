// The text format of Prometheus, and what the console reads out of it. Pure.

const LINE = /^([a-z_:][\w:]*)(?:\{([^}]*)\})? (\S+)/i;

/** The samples of some text: `{name, labels, value}`. Other lines are passed over. */
export function samplesOf(text) {
  const found = [];
  for (const line of text.split("\n")) {
    const parts = line.startsWith("#") ? null : LINE.exec(line);
    const value = Number(parts?.[3]);
    if (parts && Number.isFinite(value)) found.push({ name: parts[1], labels: labelsOf(parts[2] ?? ""), value });
  }
  return found;
}

const labelsOf = (text) => Object.fromEntries([...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));

const sum = (samples, name, fits = () => true) =>
  samples.reduce((total, one) => (one.name === name && fits(one.labels) ? total + one.value : total), 0);

const ofTheApi = ({ route = "" }) => route.startsWith("/v1");

/** Counters of the requests to the API, since their process began. */
export function countersOf(samples) {
  return {
    requests: sum(samples, "footnote_http_requests_total", ofTheApi),
    errors: sum(samples, "footnote_http_requests_total", (labels) => ofTheApi(labels) && labels.status?.startsWith("5")),
    seconds: sum(samples, "footnote_http_request_duration_seconds_sum", ofTheApi),
    answered: sum(samples, "footnote_http_request_duration_seconds_count", ofTheApi),
  };
}

const STAGES = ["queued", "extracting", "chunking", "embedding", "indexing", "deleting"];

/** Documents that wait or are in work, and those that have ended, from their counts by status. */
export function queueOf(counts) {
  const stages = STAGES.filter((name) => counts[name]).map((name) => [name, counts[name]]);
  const all = Object.values(counts).reduce((total, count) => total + count, 0);
  const waiting = stages.reduce((total, [, count]) => total + count, 0);
  return { stages, waiting, ended: all - waiting };
}

/** What happened between two looks: requests a second, mean milliseconds, errors. A new process begins at 0. */
export function between(before, after, seconds) {
  const grown = (name) => Math.max(0, after[name] >= before[name] ? after[name] - before[name] : after[name]);
  const answered = grown("answered");
  return {
    perSecond: grown("requests") / seconds,
    meanMs: answered ? (grown("seconds") / answered) * 1000 : null,
    errors: grown("errors"),
  };
}
