"""The processes that faults are made on: blobs lie in a folder, or in an object store of its own process."""

import json
import signal
import sys
import time
from pathlib import Path

import httpx

from footnote_cli.embedded.ports import accepts_connections
from footnote_cli.services import SERVICES
from footnote_shared.blobs.folder import FolderBlobs
from footnote_shared.blobs.objects import ObjectBlobs
from footnote_shared.blobs.protocol import BlobStore
from footnote_testing.child_process import ChildProcess
from footnote_testing.eventually import LIMIT_S
from footnote_testing.ports import free_port
from footnote_testing.postgres_process import PostgresProcess
from tests.system.stacks import FOOTNOTE, DistributedStack

WORKERS = {"parser": ("parse", 1), "embedder": ("embed", 1), "indexer": ("index,connectors,maintenance", 2)}
_SKEWED = Path(__file__).parent / "skewed"
_BUCKET = "chaos"
_TOLD_LINES, _TELLING_S = 400, 2.0


class ChaosStack(DistributedStack):
    """Two replicas of the agent and of the resolver. `objects`: blobs lie in moto, which speaks S3."""

    def __init__(self, folder: Path, postgres: PostgresProcess, *, objects: bool) -> None:
        super().__init__(folder, postgres, resolvers=2, agents=2)
        self._objects_port = free_port() if objects else 0
        self.objects: ChildProcess | None = None

    @property
    def blob_folder(self) -> Path | None:
        """None where blobs lie in an object store."""
        return None if self._objects_port else self.folder / "data" / "blobs"

    @property
    def blobs(self) -> BlobStore:
        folder = self.blob_folder
        return (
            ObjectBlobs(f"s3://{_BUCKET}/blobs", self._options()) if folder is None else FolderBlobs(folder)
        )

    def _options(self) -> dict[str, str]:
        address = f"http://127.0.0.1:{self._objects_port}"
        keys = {"access_key_id": "test", "secret_access_key": "test", "region": "us-east-1"}
        return {"endpoint": address, "allow_http": "true", **keys}

    @property
    def environment(self) -> dict[str, str]:
        if not self._objects_port:
            return super().environment
        blobs = {
            "FOOTNOTE_BLOB_URL": f"s3://{_BUCKET}/blobs",
            "FOOTNOTE_BLOB_OPTIONS": json.dumps(self._options()),
        }
        return {**super().environment, **blobs}

    def start(self) -> "ChaosStack":
        if self._objects_port:
            port = self._objects_port
            command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
            self.objects = ChildProcess(command, self.folder / "objects.log")
            self.objects.wait_until(lambda: accepts_connections(port), "the object store")
            made = httpx.put(f"http://127.0.0.1:{port}/{_BUCKET}", trust_env=False, timeout=LIMIT_S)
            made.raise_for_status()
        super().start()
        return self

    def start_skewed_worker(self, name: str, off_s: float) -> None:
        """A worker whose clock is off. It is not forked: what is forked has its clock already."""
        queues, concurrency = WORKERS[name]
        python = str(Path(sys.executable).with_name("python3"))
        path = ":".join([str(_SKEWED), *(one for one in sys.path if one)])
        environment = {**self.environment, "PYTHONPATH": path, "CHAOS_CLOCK_OFF_S": str(off_s)}
        options = ["worker", "--name", name, "--queues", queues, "--concurrency", str(concurrency)]
        command = [python, *FOOTNOTE[1:], *options]
        self.roles[name] = ChildProcess(command, self.folder / f"{name}.log", environment=environment)

    def where_services_stand(self) -> str:
        """What each web process is doing at this moment, as it says when it is asked."""
        asked = {name: role for name, role in self.roles.items() if name.startswith(SERVICES) and role.alive}
        for role in asked.values():
            role.process.send_signal(signal.SIGUSR1)
        # One that stands still for good says nothing, and the others are worth reading all the same.
        time.sleep(_TELLING_S)
        return "\n".join(f"== {name}\n{role.tail(_TOLD_LINES)}" for name, role in asked.items())

    def stop(self) -> None:
        super().stop()
        if self.objects is not None:
            self.objects.kill()
