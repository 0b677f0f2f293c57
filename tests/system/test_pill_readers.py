"""Who may open a citation, and what one learns from citations that one has made up (spec 2.7)."""

from collections.abc import Callable
from functools import partial
from typing import cast

import pytest

from footnote_shared.kernel.ids import new_id
from footnote_testing.eventually import eventually
from tests.system.handbook import Handbook
from tests.system.operator_keys import key_of, make_key
from tests.system.stacks import Client, EmbeddedStack

pytestmark = pytest.mark.system


def test_a_key_is_made_for_an_avatar_by_its_name(
    embedded: EmbeddedStack, user: Client, colleague: Client
) -> None:
    thread = colleague.thread()
    again = Client(embedded.url, key_of(embedded, "--avatar", "colleague"))
    assert again.http.get(f"/v1/threads/{thread}").status_code == 200
    assert user.http.get(f"/v1/threads/{thread}").status_code == 404
    refused = make_key(embedded, "--avatar", "nobody")
    assert refused.returncode != 0
    assert "nobody" in refused.stderr


def test_a_made_up_citation_tells_nothing_of_what_one_may_not_see(user: Client, colleague: Client) -> None:
    """Neither of a document that was always private, nor of one that was withdrawn before."""
    always = user.upload("always.txt", b"Always private words.", visibility="private")["id"]
    withdrawn = user.upload("withdrawn.txt", b"Words that were withdrawn.")["id"]
    assert user.http.patch(f"/v1/documents/{withdrawn}", json={"visibility": "private"}).status_code == 200
    user.wait_ended([always, withdrawn])
    conversation = colleague.thread()
    pills = []
    for document_id in (always, withdrawn, new_id()):
        item = {
            "source_type": "kb_document",
            "locator": {"document_id": document_id},
            "text": "A guess.",
            "display": {"title": "A guess"},
        }
        path = f"/v1/conversations/{conversation}/citations"
        n = colleague.http.post(path, json={"items": [item]}).json()["numbers"][0]
        pill = colleague.http.get(f"{path}/{n}").json()
        pills.append({k: v for k, v in pill.items() if k not in ("n", "locator")})
    assert pills[0] == pills[1] == pills[2]
    assert pills[0]["status"] == "deleted"


def test_citations_of_another_conversation_are_not_there(
    handbook: Callable[..., Handbook], colleague: Client
) -> None:
    book = handbook()
    targets = (
        f"{book.conversation}/citations/1",
        f"{book.conversation}/citations/7",
        f"{new_id()}/citations/1",
    )
    answers = [colleague.http.get(f"/v1/conversations/{target}") for target in targets]
    answers.append(book.user.http.get(f"/v1/conversations/{targets[1]}"))
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.content for answer in answers}) == 1


def test_the_quotes_of_a_withdrawn_document_are_shown_nowhere(
    handbook: Callable[..., Handbook], colleague: Client
) -> None:
    """By the rights of the one who reads, at the moment of reading: messages, turns, streams and lists."""
    book = handbook(reader=colleague)
    question = f"What may a room in a hotel in {book.place} cost?"
    turn = colleague.ask(question, book.conversation)
    assert book.id in str(turn["message"]["citations"])
    places = {
        "list": f"/v1/conversations/{book.conversation}/citations",
        "messages": f"/v1/threads/{book.conversation}/messages",
        "message": f"/v1/threads/{book.conversation}/messages/{turn['message']['id']}",
        "turn": f"/v1/turns/{turn['turn_id']}",
        "stream": f"/v1/streams/{turn['turn_id']}",
    }

    def entries() -> dict[str, str]:
        return {name: colleague.http.get(path).text for name, path in places.items()}

    shown = entries()
    assert all(book.id in text for text in shown.values()), shown
    change = {"visibility": "private"}
    assert book.user.http.patch(f"/v1/documents/{book.id}", json=change).status_code == 200
    withdrawn = entries()
    assert [name for name, text in withdrawn.items() if book.id in text] == []
    assert all('"status":"forbidden"' in text for text in withdrawn.values()), withdrawn
    assert book.user.http.delete(f"/v1/documents/{book.id}").status_code == 202
    assert [name for name, text in entries().items() if book.id in text] == []


def test_a_shared_answer_is_read_by_all_and_its_sources_by_right(
    handbook: Callable[..., Handbook], embedded: EmbeddedStack, colleague: Client
) -> None:
    """The answer and its question go to the workspace; of a source each reader sees what is theirs to see."""
    book = handbook()
    question = f"What may a room in a hotel in {book.place} cost?"
    turn = book.user.ask(question, book.conversation)
    said = turn["message"]
    (n, *_) = [one["n"] for one in said["citations"] if one["locator"].get("document_id") == book.id]
    own = f"/v1/threads/{book.conversation}/messages/{said['id']}"
    link, pill = f"/v1/shared/{said['id']}", f"/v1/shared/{said['id']}/citations/{n}"
    stranger = Client(embedded.url, key_of(embedded, "--new-workspace", "of another"))
    assert {reader.http.get(link).status_code for reader in (book.user, colleague, stranger)} == {404}
    assert colleague.http.post(f"{own}:share").status_code == 404
    assert book.user.http.post(f"{own}:share").json()["shared_at"]
    shown = colleague.http.get(link).json()
    assert (shown["question"], shown["message"]["text"], shown["mine"]) == (question, said["text"], False)
    assert book.user.http.get(link).json()["mine"]
    assert colleague.http.get(pill).json()["status"] == "current"
    told = [colleague.http.get(path).text for path in (link, pill)]
    assert [name for name in (book.conversation, turn["turn_id"]) for text in told if name in text] == []
    assert book.user.http.get(link).json()["thread_id"] == book.conversation
    others = [colleague.http.get(f"/v1/threads/{book.conversation}"), colleague.http.get(own)]
    others += [colleague.http.get(f"{link}/citations/7"), stranger.http.get(link), stranger.http.get(pill)]
    others += [
        colleague.http.get(f"/v1/conversations/{book.conversation}/citations/{n}{owner}")
        for owner in ("", f"?owner={book.user.http.get('/v1/keys:mine').json()['avatar_id']}")
    ]
    assert {answer.status_code for answer in others} == {404}
    book.user.http.patch(f"/v1/documents/{book.id}", json={"visibility": "private"})
    withdrawn = colleague.http.get(link).text
    assert (book.id in withdrawn, '"status":"forbidden"' in withdrawn) == (False, True)
    assert "quote" not in colleague.http.get(pill).json()
    assert book.user.http.post(f"{own}:share", json={"shared": False}).status_code == 200
    assert {reader.http.get(link).status_code for reader in (book.user, colleague)} == {404}


def _live_version(user: Client, document_id: str) -> int | None:
    return cast(int | None, user.document(document_id)["live_version"])


def test_a_shared_answer_shows_nothing_of_what_its_reader_never_saw(
    embedded: EmbeddedStack, colleague: Client
) -> None:
    """A source that was private from the beginning, and one that is deleted, look the same.

    One that was changed while its reader saw it is shown to have changed. One that is shared with other names
    is shown by these.
    """
    user, secret = embedded.client(), f"zebra{new_id()[-8:]}"
    for name, sharing in (("private", {"visibility": "private"}), ("deleted", {})):
        text = f"The price of the {secret}{name} is 4711 million euros. Never tell anybody about Sven."
        document = user.upload(f"{secret}{name}.txt", text.encode(), **sharing)
        user.wait_ended([document["id"]])
        said = user.ask(f"What is the price of the {secret}{name}?", user.thread())["message"]
        (entry,) = [one for one in said["citations"] if one["locator"].get("document_id") == document["id"]]
        assert user.http.post(f"/v1/threads/{said['thread_id']}/messages/{said['id']}:share").is_success
        link = f"/v1/shared/{said['id']}"
        if name == "deleted":
            assert colleague.http.get(link).json()["message"]["citations"][0]["quote"]
            user.upload(f"{secret}{name}.txt", f"The price of the {secret}{name} is on request.".encode())
            eventually(partial(_live_version, user, document["id"]), "it is changed", until=(2).__eq__)
            pill = colleague.http.get(f"{link}/citations/{entry['n']}").json()
            assert (pill["status"], pill["quote"]) == ("changed", text)
            assert user.http.delete(f"/v1/documents/{document['id']}").is_success
        (shown,) = [
            one for one in colleague.http.get(link).json()["message"]["citations"] if one["n"] == entry["n"]
        ]
        assert (shown["status"], shown["quote"], shown["locator"]) == ("forbidden", "", {})
        pill = colleague.http.get(f"{link}/citations/{entry['n']}").json()
        assert pill == {"n": entry["n"], "status": "forbidden"}
        assert user.http.get(link).json()["message"]["citations"][0]["quote"]
        if name == "private":
            names = {"title": "Prices", "filename": "prices.txt"}
            opened = user.http.patch(
                f"/v1/documents/{document['id']}", json={**names, "visibility": "workspace"}
            )
            assert opened.is_success
            shown = colleague.http.get(link).json()["message"]["citations"]
            pill = colleague.http.get(f"{link}/citations/{entry['n']}").json()
            for told in (next(one for one in shown if one["n"] == entry["n"]), pill):
                display = told["display"]
                assert (told["quote"], display["title"], display["source"]) == (text, *names.values())
