"""The vector indexes that pass the same suites: the fake, our bridge and, where there is a container engine
that has its image or can fetch it, Qdrant.
"""

import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import httpx
import pytest
from qdrant_client import AsyncQdrantClient

from footnote_cli.embedded.ports import NO_CERTIFICATES
from footnote_shared.vectors.filters import EVERYTHING
from footnote_shared.vectors.protocol import VectorIndex
from footnote_shared.vectors.qdrant import QdrantVectorIndex
from footnote_testing.bridge_process import BridgeProcess, start_bridge
from footnote_testing.eventually import LIMIT_S
from footnote_testing.memory_vectors import MemoryVectorIndex
from tests.containers.stores import ContainerQdrant, running_qdrant, store_or_skip
from tests.contract.vector_samples import FINGERPRINT

Connect = Callable[[], VectorIndex]

_SHARED_LANE = f"test-{uuid.uuid4().hex[:12]}"


@pytest.fixture(scope="session")
def bridge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BridgeProcess]:
    server = start_bridge(Path(tmp_path_factory.mktemp("vectors")))
    yield server
    server.stop()


@pytest.fixture(scope="session")
def qdrant() -> Iterator[ContainerQdrant]:
    with store_or_skip(running_qdrant()) as server:
        yield server


@pytest.fixture
def http(bridge: BridgeProcess) -> Iterator[httpx.Client]:
    with httpx.Client(
        base_url=bridge.url,
        headers={"api-key": bridge.key},
        trust_env=False,
        verify=NO_CERTIFICATES,
        timeout=LIMIT_S,
    ) as client:
        yield client


@pytest.fixture
async def client(bridge: BridgeProcess) -> AsyncIterator[AsyncQdrantClient]:
    made = AsyncQdrantClient(
        url=bridge.url,
        headers={"api-key": bridge.key},
        check_compatibility=False,
        verify=NO_CERTIFICATES,
        timeout=int(LIMIT_S),
    )
    yield made
    await made.close()


@pytest.fixture(params=["memory", "bridge", "bridge by Qdrant's routes", "qdrant"])
def connect(request: pytest.FixtureRequest) -> Connect:
    """Makes an index as another process would: with a connection of its own to the same store."""
    if request.param == "memory":
        shared = MemoryVectorIndex()
        return lambda: shared
    if request.param == "bridge":
        server: BridgeProcess = request.getfixturevalue("bridge")
        return lambda: QdrantVectorIndex(server.url, api_key=server.key, timeout_s=LIMIT_S)
    if request.param == "bridge by Qdrant's routes":
        served: BridgeProcess = request.getfixturevalue("bridge")
        return lambda: QdrantVectorIndex(served.url, api_key=served.key, timeout_s=LIMIT_S, one_request=False)
    real: ContainerQdrant = request.getfixturevalue("qdrant")
    return lambda: QdrantVectorIndex(real.url, api_key=real.key, timeout_s=LIMIT_S)


@pytest.fixture
async def index(connect: Connect) -> AsyncIterator[VectorIndex]:
    made = connect()
    yield made
    await made.close()


@pytest.fixture
def lane(request: pytest.FixtureRequest) -> str:
    """A lane of the test's own, or the one that is `emptied` for each test that asks for that."""
    return _SHARED_LANE if "emptied" in request.fixturenames else f"test-{uuid.uuid4().hex[:12]}"


@pytest.fixture
async def opened(index: VectorIndex, lane: str) -> VectorIndex:
    """An index whose lane is new: how rare a term is may depend on all that a lane ever held."""
    await index.open_lane(lane, FINGERPRINT)
    return index


@pytest.fixture
async def emptied(index: VectorIndex, lane: str) -> VectorIndex:
    """An index whose lane has no points. To make a lane takes twenty requests, and to empty one takes one."""
    await index.open_lane(lane, FINGERPRINT)
    await index.delete_where(lane, EVERYTHING)
    return index
