"""An OpenAI-compatible endpoint on loopback whose replies may call tools."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from typing import Any

from footnote_cli.evaluation.chat_endpoint import DONE, ChatHandler, LoopbackEndpoint, chunk_line, usage_line
from footnote_cli.evaluation.task_planner import TaskReply


class TaskEndpoint(LoopbackEndpoint):
    """`reply` gets the whole request."""

    def __init__(self, reply: Callable[[Mapping[str, Any]], TaskReply]) -> None:
        super().__init__(_handler(reply))


def _handler(reply: Callable[[Mapping[str, Any]], TaskReply]) -> type[BaseHTTPRequestHandler]:
    class ReplyHandler(ChatHandler):
        def answer(self, request: Mapping[str, Any]) -> None:
            said = reply(request)
            self.begin_events()
            with suppress(ConnectionError):
                if said.text:
                    self.wfile.write(chunk_line({"content": said.text}))
                for at, (name, arguments) in enumerate(said.calls):
                    function = {"name": name, "arguments": arguments}
                    called = {"index": at, "id": f"call_{at}", "type": "function", "function": function}
                    self.wfile.write(chunk_line({"tool_calls": [called]}))
                self.wfile.write(chunk_line({}, "tool_calls" if said.calls else "stop"))
                self.wfile.write(usage_line(len(request["messages"]), 1) + DONE)

    return ReplyHandler
