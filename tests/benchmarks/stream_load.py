"""The load of the streams' benchmark: one process writes raw events like agents, another reads every turn."""

import asyncio
import socket
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from multiprocessing.connection import Connection
from urllib.parse import urlsplit

import hiredis
import orjson
import uvloop

from footnote_shared.kernel.clock import now, rfc3339
from footnote_shared.redis import keys

TEXT = (
    "The launch moved to March [1] and marketing will be told next week. "
    "Nobody had asked for the change before the meeting [2], yet all agreed to it at once, "
    "since the release depends on parts that come late. In short, the date holds. "
)
WORDS = TEXT.split()
PASSAGES = ["Launch moved to March", "Nobody had asked before the meeting"]
_CAUGHT_UP_S = 60.0


@dataclass(frozen=True)
class Load:
    """What is asked of the resolver. `begin_at`: when the first turn begins, as a Unix time."""

    streams: int
    rate: float
    seconds: float
    ramp_s: float
    readers: int
    begin_at: float

    @property
    def deltas(self) -> int:
        """Deltas of one turn."""
        return round(self.rate * self.seconds)


@dataclass(frozen=True)
class Addresses:
    """Where the parts of a run are."""

    redis: str
    resolvers: list[str]
    key: str
    workspace_id: str
    conversation: str


def word(number: int) -> str:
    return f"{WORDS[number % len(WORDS)]} "


@dataclass
class Heard:
    """What one reader got."""

    text: list[str] = field(default_factory=list)
    last_seq: int = 0
    ages: list[float] = field(default_factory=list)
    end_age: float = 0.0
    faults: Counter[str] = field(default_factory=Counter)


class Reader(asyncio.Protocol):
    """One reader on a plain socket: takes the chunked answer apart and looks at every event."""

    def __init__(self, place: Addresses, url: str, turn: str) -> None:
        self.heard = Heard()
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._raw = b""
        self._body = b""
        self._in_head = True
        head = [
            f"GET /v1/streams/{turn} HTTP/1.1",
            f"Host: {urlsplit(url).netloc}",
            f"Authorization: Bearer {place.key}",
        ]
        self.request = "\r\n".join([*head, "", ""]).encode()

    def data_received(self, data: bytes) -> None:
        self._raw += data
        if self._in_head:
            head, mark, rest = self._raw.partition(b"\r\n\r\n")
            if not mark:
                return
            if b" 200 " not in head.split(b"\r\n", 1)[0]:
                self.heard.faults["refused"] += 1
            self._in_head, self._raw = False, rest
        self._unchunk()
        *frames, self._body = self._body.split(b"\n\n")
        moment = time.time()
        for frame in frames:
            start = frame.find(b"data: ")
            if start >= 0:
                self._take(orjson.loads(frame[start + 6 :]), moment)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.done.done():
            self.done.set_result(None)

    def _unchunk(self) -> None:
        while True:
            line, mark, rest = self._raw.partition(b"\r\n")
            if not mark:
                return
            size = int(line, 16)
            if len(rest) < size + 2:
                return
            if size == 0:
                self.connection_lost(None)
                return
            self._body += rest[:size]
            self._raw = rest[size + 2 :]

    def _take(self, event: dict[str, object], moment: float) -> None:
        heard = self.heard
        seq, data = event["seq"], event["data"]
        if seq != heard.last_seq + 1:
            heard.faults["out of order"] += 1
        heard.last_seq = int(str(seq))
        age = moment - datetime.fromisoformat(str(event["at"])).timestamp()
        if event["type"] == "text.delta" and isinstance(data, dict):
            heard.text.append(data["text"])
            heard.ages.append(age)
        elif event["type"] == "message.completed" and isinstance(data, dict):
            heard.end_age = age
            if data["text"] != "".join(heard.text):
                heard.faults["other text"] += 1


async def read(place: Addresses, load: Load, turns: list[str], pipe: Connection) -> None:
    loop = asyncio.get_running_loop()
    # A moment behind the writer: who reads a turn has begun it before.
    begun = loop.time() + load.begin_at - time.time() + 0.5
    readers: list[Reader] = []
    for number, turn in enumerate(turns):
        await asyncio.sleep(max(0.0, begun + load.ramp_s * number / len(turns) - loop.time()))
        for _ in range(load.readers):
            url = place.resolvers[len(readers) % len(place.resolvers)]
            transport, reader = await loop.create_connection(
                partial(Reader, place, url, turn), "127.0.0.1", urlsplit(url).port or 80
            )
            transport.write(reader.request)
            readers.append(reader)
    deadline = load.ramp_s + load.seconds + _CAUGHT_UP_S
    await asyncio.wait([reader.done for reader in readers], timeout=deadline)
    pipe.send([reader.heard for reader in readers])


def write(place: Addresses, load: Load, turns: list[str]) -> None:
    """Append the raw events of all turns on time, each turn with a phase of its own."""
    address = urlsplit(place.redis)
    connection = socket.create_connection((address.hostname, address.port))
    if address.password:
        connection.sendall(_command("AUTH", address.password))
        connection.recv(1 << 16)
    answers = hiredis.Reader()
    begun = time.monotonic() + load.begin_at - time.time()
    due = [(begun + load.ramp_s * number / len(turns)) for number in range(len(turns))]
    sent = [0] * len(turns)
    heads = [_head(place, turn) for turn in turns]
    raws = [keys.turn_raw(turn) for turn in turns]
    open_turns = list(range(len(turns)))
    expected = 0
    while open_turns:
        moment = time.monotonic()
        at = f'"at":"{rfc3339(now())}"'
        out: list[bytes] = []
        for number in [n for n in open_turns if due[n] <= moment]:
            for kind, data in _events_due(load, sent[number]):
                event = f'{{{heads[number]},"type":"{kind}",{at},"data":{data}}}'
                out.append(_command("XADD", raws[number], "*", "e", event))
            if sent[number] == 0:
                out.append(_announcement(place, turns[number]))
            sent[number] += 1
            due[number] += 1 / load.rate
            if sent[number] > load.deltas + 1:
                open_turns.remove(number)
        if out:
            connection.sendall(b"".join(out))
            expected = len(out)
            while expected:
                answers.feed(connection.recv(1 << 16))
                while (answer := answers.gets()) is not False:
                    if isinstance(answer, hiredis.HiredisError):
                        raise answer
                    expected -= 1
        time.sleep(max(0.0, 0.004 - (time.monotonic() - moment)))


def _command(*parts: str) -> bytes:
    return b"*%d\r\n" % len(parts) + b"".join(
        b"$%d\r\n%b\r\n" % (len(raw), raw) for raw in (part.encode() for part in parts)
    )


def _announcement(place: Addresses, turn: str) -> bytes:
    fields = {"turn_id": turn, "workspace_id": place.workspace_id, "thread_id": place.conversation}
    return _command("XADD", keys.TURNS_STREAM, "*", *(part for pair in fields.items() for part in pair))


def _head(place: Addresses, turn: str) -> str:
    return f'"turn_id":"{turn}","workspace_id":"{place.workspace_id}","thread_id":"{place.conversation}"'


def _events_due(load: Load, number: int) -> Iterator[tuple[str, str]]:
    if number == 0:
        yield "turn.started", '{"thread_id":"t","message_id":"m","engine":"bench","settings_hash":"0"}'
    elif number <= load.deltas:
        yield "text.delta", orjson.dumps({"text": word(number - 1)}).decode()
    else:
        yield "message.completed", '{"message_id":"m"}'


def read_in_process(place: Addresses, load: Load, turns: list[str], pipe: Connection) -> None:
    uvloop.run(read(place, load, turns, pipe))
