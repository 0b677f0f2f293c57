"""A whole system that asks a scripted model, and has one document to ask about."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from footnote_testing.scripted_model import ScriptedModel
from tests.system.stacks import Client, EmbeddedStack


@contextmanager
def served_model() -> Iterator[ScriptedModel]:
    """A model that says what it is told to."""
    served = ScriptedModel().start()
    yield served
    served.stop()


@contextmanager
def user_of(model: ScriptedModel, folder: Path, environment: dict[str, str]) -> Iterator[Client]:
    """A user of a system with this model, who has handed in what the gull of Scarborough steals."""
    asked = {"FOOTNOTE_CHAT_BASE_URL": model.url, "FOOTNOTE_CHAT_MODEL": "scripted"}
    stack = EmbeddedStack(folder / "data", environment=asked | environment).start()
    client = stack.client()
    made = client.upload("gull.txt", b"The gull of Scarborough steals four sandwiches a day.")
    client.wait_ended([made["id"]])
    yield client
    stack.stop()
