"""Every queue has a worker, in the chart and in compose."""

from footnote_ingest.hints.queues import Queue
from tests.unit.deploy.rendered_chart import pods
from tests.unit.deploy.test_compose import ROLES


def test_in_the_chart_every_queue_has_a_worker_and_what_waits_for_a_model_has_one_of_its_own() -> None:
    def taken(row: str) -> dict[str, set[str]]:
        found = {}
        for name, pod in pods(row):
            arguments = pod["containers"][0].get("args", [])
            if arguments[:1] == ["worker"]:
                found[name] = set(arguments[arguments.index("--queues") + 1].split(","))
        return found

    plain = taken("defaults")
    # A worker that reads facts is the operator's to add.
    assert set().union(*plain.values()) == {queue.value for queue in Queue} - {"media", "facts"}
    assert taken("everything") == {**plain, "fn-worker-media": {"media"}}


def test_in_compose_every_queue_has_one_worker_and_what_waits_for_a_model_has_one_of_its_own() -> None:
    taken = {
        name: role["command"][role["command"].index("--queues") + 1].split(",")
        for name, role in ROLES.items()
        if role["command"][0] == "worker"
    }
    every = [queue for queues in taken.values() for queue in queues]
    assert sorted(every) == sorted(queue.value for queue in Queue)
    assert (taken["media"], taken["facts"]) == (["media"], ["facts"])
