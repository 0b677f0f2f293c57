import assert from "node:assert/strict";
import { test } from "node:test";
import { between, countersOf, queueOf, samplesOf } from "../../../services/agent/footnote_agent/console/static/metrics.js";

const TEXT = `# HELP footnote_http_requests_total Requests.
footnote_http_requests_total{route="/v1/search",status="200"} 8.0
footnote_http_requests_total{route="/v1/search",status="503"} 2.0
footnote_http_requests_total{route="/readyz",status="200"} 90
footnote_http_request_duration_seconds_sum{route="/v1/search"} 1.5
footnote_http_request_duration_seconds_count{route="/v1/search"} 10
python_info{version="3.11"} NaN
`;

test("requests of the API are counted, and probes are not", () => {
  assert.deepEqual(countersOf(samplesOf(TEXT)), { requests: 10, errors: 2, seconds: 1.5, answered: 10 });
  assert.deepEqual(samplesOf("nonsense\n{} 1\n"), []);
});

test("figures are those between two looks, also when the process is another one", () => {
  const before = { requests: 10, errors: 0, seconds: 1, answered: 10 };
  const after = { requests: 30, errors: 1, seconds: 3, answered: 20 };
  assert.deepEqual(between(before, after, 4), { perSecond: 5, meanMs: 200, errors: 1 });
  assert.deepEqual(between(after, before, 4), { perSecond: 2.5, meanMs: 100, errors: 0 });
  assert.equal(between(before, before, 4).meanMs, null);
});

test("documents in work are told from those that have ended", () => {
  const counts = { queued: 2, embedding: 1, indexed: 7, failed: 1, skipped: 0 };
  assert.deepEqual(queueOf(counts), { stages: [["queued", 2], ["embedding", 1]], waiting: 3, ended: 8 });
  assert.deepEqual(queueOf({}), { stages: [], waiting: 0, ended: 0 });
});
