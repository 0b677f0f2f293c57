"""A handbook and the conversation that cites one passage of it, for tests of what becomes of citations."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.system.stacks import Client

CITED = "A room in a hotel in {place} may cost 140 euros a night at most, breakfast included."
SECTIONS = (
    "# Handbook of {place}",
    "## Greeting\n\nNew colleagues in {place} are greeted by the whole team on their first morning.",
    f"## Hotels\n\n{CITED}",
    "## Meals\n\nA dinner with guests in {place} is paid by the company up to 60 euros a head.",
)


class Handbook:
    """A document of its own for each test, and the conversation that cites one passage of it."""

    def __init__(self, user: Client, place: str, reader: Client | None = None, **fields: str) -> None:
        self.user = user
        self.reader = reader or user
        self.place = place
        self.fields = {"folder": f"/pills/{place}", **fields}
        self.sections = [section.format(place=place) for section in SECTIONS]
        self.id = self.upload()
        self.cited = CITED.format(place=place)
        self.conversation = self.reader.thread()
        found = self.reader.search(self.cited, scope={"document_ids": [self.id]})["passages"]
        passage = next(p for p in found if self.cited in p["text"])
        self.cite(passage_item(passage))

    def upload(self) -> str:
        content = "\n\n".join(self.sections).encode()
        document = self.user.upload("handbook.md", content, **self.fields)
        (ended,) = self.user.wait_ended([document["id"]])
        assert ended["status"] == "indexed", ended
        return str(ended["id"])

    def cite(self, item: dict[str, Any]) -> int:
        path = f"/v1/conversations/{self.conversation}/citations"
        answer = self.reader.http.post(path, json={"items": [item]})
        assert answer.status_code == 200, answer.text
        return int(answer.json()["numbers"][0])

    def pill(self, n: int = 1) -> dict[str, Any]:
        answer = self.reader.http.get(f"/v1/conversations/{self.conversation}/citations/{n}")
        assert answer.status_code == 200, answer.text
        pill: dict[str, Any] = answer.json()
        return pill

    def highlighted(self, pill: dict[str, Any]) -> str:
        """The characters that the pill's link names, of what the link serves."""
        url = urlsplit(pill["document_url"])
        start, end = map(int, parse_qs(url.fragment)["char"][0].split(","))
        content = self.reader.http.get(url.path).content.decode()
        assert pill["text_url"] == f"{url.path.removesuffix('content')}text#char={start},{end}"
        assert self.reader.http.get(pill["text_url"]).text[start:end] == content[start:end]
        return content[start:end]


def passage_item(passage: dict[str, Any]) -> dict[str, Any]:
    """A found passage as a client cites it."""
    return {
        "source_type": "kb_chunk",
        "locator": {"document_id": passage["document_id"], "chunk_id": passage["chunk_id"]},
        "display": {
            "title": passage["title"],
            "source": passage["source"],
            "date": passage["created_at"],
            "kind": passage["kind"],
            "heading_path": passage["heading_path"],
            "page_start": passage["page_start"],
            "page_end": passage["page_end"],
        },
        "text": passage["text"],
        "span": [passage["char_start"], passage["char_end"]],
        "source_version": passage["version"],
    }
