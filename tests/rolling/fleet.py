"""Two replicas of each service behind a balancer, and workers, of which each runs one of two releases."""

import subprocess
import sys
from pathlib import Path

from footnote_cli.migrations import upgrade
from footnote_shared.db.engine import Database
from footnote_shared.settings.base import child_environment
from footnote_testing.child_process import ChildProcess
from footnote_testing.ports import free_port
from footnote_testing.postgres_process import PostgresProcess
from footnote_testing.scripted_model import ScriptedModel
from tests.rolling.balancer import Balancer
from tests.system.stacks import PATIENCE, DistributedStack

ROOT = Path(__file__).parents[2]
SERVICES = ("ingest", "retriever", "resolver", "agent")
WORKERS = {"parser": ("parse", 1), "embedder": ("embed", 1), "indexer": ("index,connectors,maintenance", 2)}
STOP_S = 180.0
_PACKAGES = (
    "shared",
    "services/ingest",
    "services/retriever",
    "services/agent",
    "services/resolver",
    "shell",
)
_DRAIN_S = "5"
_BUSY_MACHINE = {**PATIENCE, "FOOTNOTE_DATABASE_ANSWER_S": "60", "FOOTNOTE_REQUESTS_END_S": "60"}
"""A machine with much else to do is no store that is away, and a turn without a stream takes longer on it."""
_MANY_READERS = {"FOOTNOTE_MAX_TURNS_IN_FLIGHT": "1000"}
"""All of them are of one workspace, and are here to be answered."""
_WRITES = {
    "FOOTNOTE_CHAT_MODEL": "scripted",
    "FOOTNOTE_CHAT_TOOLS": "false",
    "FOOTNOTE_ANSWER_CACHE_S": "0",
}


class NotInOrder(Exception):
    """A role that was told to stop ended with another status than 0."""


class Fleet(DistributedStack):
    """`old` is the tree of the release that everything begins with; None: there is one release.

    Answers are written by the `model`; without one they are quoted from what was found.
    """

    def __init__(
        self, folder: Path, postgres: PostgresProcess, old: Path | None, model: ScriptedModel | None = None
    ) -> None:
        self._old = old
        self._model = model
        self._all_old = old is not None
        super().__init__(folder, postgres)
        self.replicas = {f"{service}{n}": free_port() for service in SERVICES for n in range(2)}
        vectors = self.ports["vectors"]
        self.ports = {"vectors": vectors, **self.replicas}
        self._balanced = {service: free_port() for service in SERVICES}
        self.balancer = Balancer(
            {self._balanced[name]: [self.replicas[f"{name}{n}"] for n in range(2)] for name in SERVICES}
        )

    def prepared_database(self, postgres: PostgresProcess) -> Database:
        """With the schema of the release that everything begins with."""
        if self._old is None:
            return super().prepared_database(postgres)
        url = postgres.new_database()
        settings = {"FOOTNOTE_DATABASE_URL": url, "PYTHONPATH": self._path_of_old()}
        command = [_another_python(), "-m", "footnote_cli", "migrate"]
        subprocess.run(command, env=child_environment(settings), check=True, capture_output=True)
        return Database(url)

    def migrate(self) -> None:
        """To the newest schema, while everything runs."""
        upgrade(self.database)

    @property
    def environment(self) -> dict[str, str]:
        # The class above asks for names that are there; here each name stands for a balanced port.
        ports, self.ports = self.ports, {**self.ports, **self._named()}
        try:
            made = super().environment
        finally:
            self.ports = ports
        leases = {"FOOTNOTE_LEASE_S": "30", "FOOTNOTE_TURN_LEASE_S": "30"}
        written = {} if self._model is None else {"FOOTNOTE_CHAT_BASE_URL": self._model.url, **_WRITES}
        return {**made, **_BUSY_MACHINE, **_MANY_READERS, **leases, **written, "FOOTNOTE_DRAIN_S": _DRAIN_S}

    def _named(self) -> dict[str, int]:
        named = {**self._balanced, "resolver0": self._balanced["resolver"], "agent0": self._balanced["agent"]}
        return {**named, "agent1": self._balanced["agent"]}

    def port_of(self, service: str) -> int:
        return self._named().get(service, self.ports.get(service, 0))

    def start_role(self, name: str, command: list[str]) -> ChildProcess:
        if name != "vectors" and self._all_old:
            environment = {**self.environment, "PYTHONPATH": self._path_of_old()}
            log = self.folder / f"{name}.log"
            role = ChildProcess([_another_python(), *command[1:]], log, environment=environment)
            self.roles[name] = role
            return role
        return super().start_role(name, command)

    def start(self) -> "Fleet":
        self.start_vectors()
        self.balancer.start()
        for name in (*self.replicas, *WORKERS, "beat"):
            self._begin(name)
        for name in self.replicas:
            self.wait_ready(name)
        return self

    def run_release(self, *, old: bool) -> None:
        """Which release the roles run that are started from now on."""
        self._all_old = old and self._old is not None

    def replace(self, name: str) -> None:
        """SIGTERM, and another process in its place. Raises NotInOrder where it does not end in order."""
        status = self.roles[name].stop(STOP_S)
        if status != 0:
            raise NotInOrder(f"{name} ended with {status}:\n{self.roles[name].tail()}")
        self._begin(name)
        if name in self.replicas:
            self.wait_ready(name)

    def _begin(self, name: str) -> None:
        if name in self.replicas:
            self.start_service(name)
        elif name in WORKERS:
            self.start_worker(name, *WORKERS[name])
        else:
            self.start_role(name, [sys.executable, "-m", "footnote_cli", "beat"])

    def stop(self) -> None:
        super().stop()
        self.balancer.stop()

    def _path_of_old(self) -> str:
        assert self._old is not None
        return ":".join(str(self._old / package) for package in _PACKAGES)


def _another_python() -> str:
    """The same interpreter by another name: what is started by its own name is forked from this process."""
    return str(Path(sys.executable).with_name("python3"))


def release_of(commit: str, folder: Path) -> Path:
    """The tree of a commit, without what only tests need."""
    folder.mkdir(parents=True)
    packed = subprocess.run(
        ["git", "archive", commit, "shared", "services", "shell"], cwd=ROOT, check=True, capture_output=True
    )
    subprocess.run(["tar", "-x", "-C", str(folder)], input=packed.stdout, check=True)
    return folder
