"""The file tools of `knowledge_base` over the real ingest: what a model writes, finds, moves and deletes."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest
from anyio import to_thread
from sqlmodel import col, select, update
from tests.integration.agent.conftest import Stage, built_stage
from tests.integration.ingest.workshop import Workshop
from tests.unit.agent.tool_desk import ToolDesk

from footnote_agent.store.tables import ThreadRow
from footnote_agent.tools.guard import CallRefused
from footnote_agent.tools.tool_context import ToolContext
from footnote_cli.embedded.ports import NO_CERTIFICATES
from footnote_ingest.app import create_app as create_ingest
from footnote_ingest.store.tables import DocumentRow, VersionRow
from footnote_shared.blobs import keys as blob_keys
from footnote_shared.blobs.open import open_blobs
from footnote_shared.contracts.documents import Document
from footnote_shared.contracts.identity import Principal
from footnote_shared.security.api_keys import make_avatar
from footnote_testing.eventually import LIMIT_S
from footnote_testing.served_app import ServedApp

PASSED_ON = ("authorization", "content-type", "idempotency-key")


@dataclass
class FileDesk:
    """A desk of tools whose ingest is real, with a workshop that does the workers' part at once."""

    stage: Stage
    ingest: ServedApp
    workshop: Workshop
    desk: ToolDesk
    calls: Iterator[int] = field(default_factory=count)

    async def forward(self, request: httpx.Request) -> httpx.Response:
        headers = {name: request.headers[name] for name in PASSED_ON if name in request.headers}
        async with httpx.AsyncClient(trust_env=False, timeout=LIMIT_S, verify=NO_CERTIFICATES) as http:
            answer = await http.request(
                request.method,
                self.ingest.url + request.url.raw_path.decode(),
                headers=headers,
                content=request.content,
            )
        if request.method != "GET":
            await to_thread.run_sync(self.work)
        return httpx.Response(answer.status_code, content=answer.content)

    def work(self) -> None:
        self.workshop.lose_messages()
        self.workshop.sweep()
        self.workshop.run_all()

    async def call(self, name: str, call_id: str | None = None, **arguments: Any) -> str:
        """`call_id` of a call that is made again; else each is another one."""
        made = call_id or f"s99c{next(self.calls)}"
        return (await self.desk.call(self.context, name, made, **arguments)).text

    @property
    def context(self) -> ToolContext:
        return self.desk.context(turn_id="01a2019d-8c73-73bb-9af3-d3a64e8615d8")

    async def upload(self, name: str, text: str, who: Principal | None = None, **fields: Any) -> Document:
        def accepted() -> Document:
            document = self.workshop.accept(name, text, caller=who, **fields)
            self.work()
            return document

        return await to_thread.run_sync(accepted)

    def rows(self, name: str) -> list[DocumentRow]:
        with self.stage.database.read() as session:
            return list(session.exec(select(DocumentRow).where(col(DocumentRow.filename) == name)).all())

    def bytes_of(self, name: str) -> bytes:
        (row,) = self.rows(name)
        return self.workshop.blobs.get(blob_keys.original(row.workspace_id, row.sha256))

    def versions(self, name: str) -> int:
        (row,) = self.rows(name)
        with self.stage.database.read() as session:
            return len(session.exec(select(VersionRow).where(col(VersionRow.document_id) == row.id)).all())


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with built_stage(tmp_path_factory.mktemp("files")) as built:
        yield built


@pytest.fixture
def files(stage: Stage, tmp_path: Path) -> Iterator[FileDesk]:
    with stage.database.write() as session:
        caller = make_avatar(session, stage.caller.workspace_id, tmp_path.name)
        thread = ThreadRow(workspace_id=caller.workspace_id, avatar_id=caller.avatar_id)
        thread_id = thread.id
        session.add(thread)
    caller = caller.model_copy(update={"scopes": frozenset({"read", "write"})})
    settings = stage.settings()
    workshop = Workshop(stage.database)
    workshop.blobs, workshop.caller = open_blobs(settings), caller
    ingest = ServedApp(create_ingest(settings)).start()
    made = FileDesk(stage, ingest, workshop, ToolDesk(stage.database, caller, thread_id))
    made.desk.ingest = made.forward
    yield made
    ingest.stop()


@pytest.fixture
def colleague(files: FileDesk) -> Principal:
    with files.stage.database.write() as session:
        return make_avatar(session, files.workshop.caller.workspace_id, files.desk.thread_id)


class TestWriting:
    async def test_a_file_is_generated_private_and_without_numbers(self, files: FileDesk) -> None:
        said = await files.call("write_file", path="/notes/gulls.md", text="Gulls steal bread [1].")
        assert said.startswith("Written: D1: /notes/gulls.md (text/markdown")
        assert "It can be searched now." in said
        (row,) = files.rows("gulls.md")
        assert (row.source_type, row.visibility, row.avatar_id) == (
            "generated",
            "private",
            files.workshop.caller.avatar_id,
        )
        assert files.bytes_of("gulls.md") == b"Gulls steal bread."
        assert "Gulls steal bread." in await files.call("read_file", file="/notes/gulls.md")

    async def test_a_call_that_is_made_again_changes_nothing_twice(self, files: FileDesk) -> None:
        for _ in range(2):
            await files.call("write_file", "s0c0", path="/a/once.md", text="One and one.")
        for _ in range(2):
            said = await files.call("edit_file", "s1c0", file="/a/once.md", old="One", new="One One")
            assert said.startswith("Changed: ")
        assert files.bytes_of("once.md") == b"One One and one."
        assert files.versions("once.md") == 2
        await files.call("write_file", "s2c0", path="/a/once.md", text="Anew.")
        assert files.bytes_of("once.md") == b"Anew."
        assert len(files.rows("once.md")) == 1

    async def test_a_file_of_the_user_is_not_written_over(self, files: FileDesk) -> None:
        await files.upload("mine.txt", "Mine.", folder="/own")
        with pytest.raises(CallRefused, match="There is a file already"):
            await files.call("write_file", path="/own/mine.txt", text="Yours.")
        assert files.bytes_of("mine.txt") == b"Mine."

    async def test_an_edit_leaves_no_citation(self, files: FileDesk) -> None:
        await files.upload("list.md", "See [x] for it.", folder="/own")
        with pytest.raises(CallRefused, match="reads as a citation"):
            await files.call("edit_file", file="/own/list.md", old="x", new="7")
        assert files.bytes_of("list.md") == b"See [x] for it."


class TestFinding:
    async def test_folders_files_and_texts_are_found(self, files: FileDesk) -> None:
        await files.upload("a.md", "The otter sleeps on its back.", folder="/zoo/water")
        await files.upload("b.txt", "The ibex climbs.", folder="/zoo/rocks")
        assert "/zoo/water/" in await files.call("ls", folder="/zoo")
        assert ": /zoo/water/a.md (" in await files.call("ls", folder="/zoo/water")
        assert "/zoo/rocks/ (1 files)" in await files.call("list_tree", folder="/zoo")
        assert "/zoo/water/a.md" in await files.call("glob", pattern="/zoo/**/*.md")
        assert "b.txt" not in await files.call("glob", pattern="/zoo/**/*.md")
        found = await files.call("grep", text="otter SLEEPS", folder="/zoo")
        assert "[1] The otter sleeps on its back." in found
        assert await files.call("grep", text="otter", folder="/zoo/rocks") == "No passage holds this text."
        assert await files.call("grep", text="100%", folder="/zoo") == "No passage holds this text."

    async def test_a_private_file_of_somebody_else_is_not_there(
        self, files: FileDesk, colleague: Principal
    ) -> None:
        await files.upload("own.md", "A hidden walnut.", colleague, folder="/hidden", visibility="private")
        assert await files.call("grep", text="hidden walnut") == "No passage holds this text."
        assert await files.call("glob", pattern="own.md") == "No file fits."
        for tool in ("read_file", "rm"):
            with pytest.raises(CallRefused, match="There is no file"):
                await files.call(tool, file="/hidden/own.md")
        with pytest.raises(CallRefused, match="not empty"):
            await files.call("rmdir", folder="/hidden")
        assert len(files.rows("own.md")) == 1

    async def test_memory_is_no_file(self, files: FileDesk) -> None:
        await files.upload("m.md", "Remember the marmot.", folder="/memory")
        assert await files.call("grep", text="marmot") == "No passage holds this text."
        assert "/memory" not in await files.call("list_tree")
        assert await files.call("glob", pattern="m.md") == "No file fits."
        for tool, arguments in (
            ("read_file", {"file": "/memory/m.md"}),
            ("write_file", {"path": "/memory/n.md", "text": "x"}),
            ("ls", {"folder": "/memory"}),
        ):
            with pytest.raises(CallRefused, match="This is memory"):
                await files.call(tool, **arguments)


class TestMovingAndDeleting:
    async def test_a_file_is_moved_renamed_and_deleted(self, files: FileDesk) -> None:
        await files.upload("old.md", "Old.", folder="/from")
        assert ": /to/new.md (" in await files.call("move_file", file="/from/old.md", to="/to/new.md")
        assert ": /back/new.md (" in await files.call("move_file", file="D1", to="/back/")
        with pytest.raises(CallRefused, match="must end in"):
            await files.call("move_file", file="D1", to="/back/new.pdf")
        assert await files.call("rm", file="D1") == "Deleted: /back/new.md."
        with pytest.raises(CallRefused, match="not there"):
            await files.call("rm", file="D1")
        assert await files.call("rmdir", folder="/back") == "Deleted: /back/."
        with pytest.raises(CallRefused, match="There is no folder"):
            await files.call("ls", folder="/back")

    async def test_a_change_that_is_made_again_answers_as_before(self, files: FileDesk) -> None:
        """A process was killed between the change and its answer, and another one makes the call again."""
        await files.upload("one.md", "One.", folder="/again")
        for _ in range(2):
            said = await files.call("move_file", "s1c0", file="/again/one.md", to="/again/two.md")
            assert said.startswith("Moved: D1: /again/two.md (")
        for _ in range(2):
            assert await files.call("rm", "s2c0", file="/again/two.md") == "Deleted: /again/two.md."
        for _ in range(2):
            assert await files.call("rmdir", "s3c0", folder="/again") == "Deleted: /again/."
        # Another call is no repetition, whatever it names.
        for tool, arguments in (("rm", {"file": "/again/two.md"}), ("rmdir", {"folder": "/again"})):
            with pytest.raises(CallRefused, match="There is no"):
                await files.call(tool, "s4c0", **arguments)

    async def test_a_call_that_is_made_again_spares_what_came_since(self, files: FileDesk) -> None:
        await files.upload("since.md", "Old.", folder="/since")
        await files.call("rm", "s1c0", file="/since/since.md")
        await files.upload("since.md", "New, and dear to me.", folder="/since", external_id="new")
        assert await files.call("rm", "s1c0", file="/since/since.md") == "Deleted: /since/since.md."
        kept = [row for row in files.rows("since.md") if row.deleted_at is None]
        assert [row.external_id for row in kept] == ["new"]

    async def test_a_folder_with_files_stays(self, files: FileDesk) -> None:
        await files.upload("deep.md", "Deep.", folder="/full/below")
        with pytest.raises(CallRefused, match="not empty"):
            await files.call("rmdir", folder="/full")

    async def test_what_is_somebody_elses_is_only_read(self, files: FileDesk, colleague: Principal) -> None:
        await files.upload("theirs.md", "The badger digs.", colleague, folder="/shared")
        assert "The badger digs." in await files.call("read_file", file="/shared/theirs.md")
        for tool, arguments in (
            ("edit_file", {"old": "badger", "new": "mole"}),
            ("move_file", {"to": "/elsewhere/"}),
            ("rm", {}),
        ):
            with pytest.raises(CallRefused, match="belongs to somebody else"):
                await files.call(tool, file="/shared/theirs.md", **arguments)
        with pytest.raises(CallRefused, match="There is a file already"):
            await files.call("write_file", path="/shared/theirs.md", text="Mine now.")

    async def test_what_a_connector_keeps_in_step_is_changed_there(self, files: FileDesk) -> None:
        document = await files.upload("item.md", "An item.", folder="/from-there")
        with files.stage.database.write() as session:
            session.exec(
                update(DocumentRow).where(col(DocumentRow.id) == document.id).values(connector_id="c1")
            )
        for tool, arguments in (("edit_file", {"old": "An", "new": "No"}), ("rm", {})):
            with pytest.raises(CallRefused, match="comes from a connector"):
                await files.call(tool, file="/from-there/item.md", **arguments)

    @pytest.mark.parametrize("path", ["/../x.md", "../../etc/passwd", "/a/../../b.md"])
    async def test_nothing_lies_outside_of_the_workspace(self, files: FileDesk, path: str) -> None:
        for tool, arguments in (
            ("write_file", {"path": path, "text": "x"}),
            ("read_file", {"file": f"/{path}"}),
            ("rm", {"file": f"/{path}"}),
            ("ls", {"folder": f"/{path}"}),
        ):
            with pytest.raises(CallRefused, match="may not contain"):
                await files.call(tool, **arguments)

    async def test_a_handle_of_another_tenant_stands_for_nothing(self, files: FileDesk) -> None:
        for tool in ("read_file", "rm"):
            with pytest.raises(CallRefused, match="no such handle"):
                await files.call(tool, file="D77")
