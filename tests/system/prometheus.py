"""A real Prometheus over the processes of a stack. It reads and judges each second."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx
import yaml
from deploy.monitoring.rules import rules

from footnote_cli.embedded.ports import NO_CERTIFICATES
from footnote_testing.child_process import ChildProcess
from footnote_testing.eventually import LIMIT_S
from footnote_testing.ports import free_port
from tests.system.stacks import EmbeddedStack

PROMETHEUS = shutil.which("prometheus")
"""Where the program lies; None: it is not installed."""


@contextmanager
def prometheus_over(
    stack: EmbeddedStack, folder: Path, workers: Sequence[int] = range(3)
) -> Iterator[httpx.Client]:
    """What asks a Prometheus that reads all processes of `stack`. It keeps its data in `folder`.

    `workers`: where the ports of its workers lie, behind the first one.
    """
    assert PROMETHEUS is not None
    judged = {"groups": [{**group, "interval": "1s"} for group in rules()["groups"]]}
    (folder / "rules.yaml").write_text(yaml.safe_dump(judged))
    ports = [stack.port, *(stack.metrics_port + n for n in workers)]
    targets = [{"targets": [f"127.0.0.1:{port}" for port in ports]}]
    (folder / "prometheus.yaml").write_text(
        yaml.safe_dump(
            {
                "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
                "rule_files": ["rules.yaml"],
                "scrape_configs": [{"job_name": "footnote", "static_configs": targets}],
            }
        )
    )
    port = free_port()
    command = [
        PROMETHEUS,
        f"--config.file={folder / 'prometheus.yaml'}",
        f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--log.level=warn",
    ]
    process = ChildProcess(command, folder / "prometheus.log")
    with httpx.Client(
        base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=LIMIT_S, verify=NO_CERTIFICATES
    ) as client:
        process.wait_until(lambda: client.get("/-/ready").status_code == 200, "Prometheus")
        yield client
    process.stop(30)
