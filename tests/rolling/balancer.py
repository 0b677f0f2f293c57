"""Spreads connections over the replicas that say that they take requests, as a Service of Kubernetes does."""

import asyncio
import itertools
import threading
from collections.abc import Mapping
from functools import partial

import httpx

_LOOK_S = 0.25
_ANSWER_S = 10.0
"""A machine with much else to do answers late and is ready all the same."""
_PIECE = 64 * 1024


class Balancer:
    """One port for each service, and its replicas behind it. It runs in a thread of its own."""

    def __init__(self, replicas: Mapping[int, list[int]]) -> None:
        self._replicas = replicas
        self._ready: set[int] = set()
        self._turns = {port: itertools.cycle(behind) for port, behind in replicas.items()}
        self._loop = asyncio.new_event_loop()
        self._listens = threading.Event()
        self._thread = threading.Thread(target=self._run, name="balancer", daemon=True)

    def start(self) -> None:
        self._thread.start()
        self._listens.wait()

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._open())
        self._listens.set()
        self._loop.run_forever()

    async def _open(self) -> None:
        for port in self._replicas:
            await asyncio.start_server(partial(self._serve, port), "127.0.0.1", port)
        behind = [port for ports in self._replicas.values() for port in ports]
        self._looking = [asyncio.create_task(self._look(port)) for port in behind]

    async def _look(self, port: int) -> None:
        async with httpx.AsyncClient(trust_env=False, timeout=_ANSWER_S) as client:
            while True:
                try:
                    answer = await client.get(f"http://127.0.0.1:{port}/acceptz")
                    if answer.status_code == httpx.codes.NOT_FOUND:
                        # A release from before this route.
                        answer = await client.get(f"http://127.0.0.1:{port}/readyz")
                    is_ready = answer.status_code == httpx.codes.OK
                except httpx.ConnectError:
                    is_ready = False
                except httpx.TransportError:
                    is_ready = port in self._ready
                (self._ready.add if is_ready else self._ready.discard)(port)
                await asyncio.sleep(_LOOK_S)

    def _next(self, port: int) -> int:
        """The next replica that is ready; where none is, the next one."""
        turn = self._turns[port]
        offered = [next(turn) for _ in self._replicas[port]]
        return next((one for one in offered if one in self._ready), offered[0])

    async def _serve(self, port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            behind, ahead = await asyncio.open_connection("127.0.0.1", self._next(port))
        except OSError:
            writer.close()
            return
        await asyncio.gather(_pass_on(reader, ahead), _pass_on(behind, writer))


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while piece := await reader.read(_PIECE):
            writer.write(piece)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()
