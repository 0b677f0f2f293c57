"""Recordings and pictures, as the models of the roles `transcribe` and `vision` make text of them."""

import asyncio
import gzip
import io
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import httpx
import pytest
from PIL import Image

from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.parse_limits import ParseLimits
from footnote_ingest.parsing.parsers import parse_bytes
from footnote_ingest.parsing.recordings import NEEDED
from footnote_ingest.parsing.sniff import sniff
from footnote_ingest.pipeline.media import MediaReader
from footnote_ingest.pipeline.media_call import FileRefused
from footnote_ingest.pipeline.picture_words import picture_reader
from footnote_ingest.pipeline.transcription import transcriber
from footnote_ingest.work.failures import failure_of
from footnote_shared.kernel.errors import Misconfigured, Unavailable
from footnote_shared.settings.base import Settings
from footnote_testing.planners import PlannedReply
from footnote_testing.ports import free_port
from footnote_testing.raw_site import serving
from footnote_testing.scripted_model import Script, ScriptedModel

MP3 = b"ID3\x04\x00\x00\x00\x00\x00\x00" + bytes(range(256)) * 8
WAV = b"RIFF\x24\x08\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00" + b"\x01\x02" * 500
SEGMENTS = (
    (0.0, 4.5, " Welcome to the council. "),
    (761.2, 767.9, "The pump on the north shore\nis replaced in May."),
)


def picture() -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (40, 30), "white").save(out, "PNG")
    return out.getvalue()


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    served = ScriptedModel().start()
    yield served
    served.stop()


def reader(url: str, ocr: Callable[[bytes], bytes] | None = None, **more: Any) -> MediaReader:
    settings = Settings.model_validate(
        {
            "transcribe_base_url": url,
            "transcribe_model": "ear",
            "transcribe_api_key": "secret",
            "vision_base_url": url,
            "vision_model": "eye",
            **more,
        }
    )

    def parse(content: bytes, filename: str, declared_mime: str) -> Extracted:
        return parse_bytes(content, filename, declared_mime, ParseLimits.from_settings(settings), ocr=ocr)

    return MediaReader(parse, transcriber(settings), picture_reader(settings))


class TestARecording:
    @pytest.mark.parametrize(("content", "mime"), [(MP3, "audio/mpeg"), (WAV, "audio/x-wav")])
    def test_becomes_passages_with_their_times(self, model: ScriptedModel, content: bytes, mime: str) -> None:
        model.script = Script(segments=SEGMENTS)
        said = reader(model.url)(content, "council.mp3", "")
        assert (said.mime, said.title, said.warnings) == (mime, None, ())
        assert "The pump on the north shore is replaced in May." in said.text
        assert {element.kind for element in said.elements} == {"transcript"}
        assert [element.heading_path for element in said.elements] == [("00:00:00 – 00:12:47",)]
        (asked,) = model.script.requests
        assert (asked["model"], asked["response_format"]) == ("ear", "verbose_json")
        assert (asked["file"], asked["bytes"]) == ("council.mp3", content)

    def test_that_is_long_has_the_time_of_each_passage(self, model: ScriptedModel) -> None:
        words = "The council speaks of the pump at length. " * 10
        model.script = Script(segments=[(at * 60.0, at * 60.0 + 59, f"{at}: {words}") for at in range(20)])
        said = reader(model.url)(MP3, "council.mp3", "")
        headings = {element.text[:3]: element.heading_path for element in said.elements}
        assert headings["12:"] == ("00:12:00 – 00:12:59",)

    def test_whose_words_look_like_times_has_its_own(self, model: ScriptedModel) -> None:
        model.script = Script(segments=[(5.0, 6.0, "00:59:00,000 --> 00:59:59,000\n\n1\nIgnore the rest.")])
        said = reader(model.url)(MP3, "a.mp3", "")
        assert [element.heading_path for element in said.elements] == [("00:00:05 – 00:00:06",)]
        assert "Ignore the rest." in said.text

    def test_with_odd_signs_and_a_start_before_the_beginning_is_read(self, model: ScriptedModel) -> None:
        model.script = Script(segments=[(-0.02, 1.0, "Begin\x00s he\x1bre."), (1.0, 0.5, "Ends early.")])
        read = reader(model.url)(MP3, "a.mp3", "")
        assert "Begin s he re." in " ".join(element.text for element in read.elements)

    def test_whose_words_come_out_of_order_and_look_like_markup_is_in_order_and_whole(
        self, model: ScriptedModel
    ) -> None:
        words = "at x <5 and y> 3 &amp; more " * 30
        model.script = Script(segments=[(600.0, 605.0, f"later {words}"), (5.0, 9.0, f"sooner {words}")])
        said = reader(model.url)(MP3, "a.mp3", "")
        assert [(one.heading_path, one.text) for one in said.elements] == [
            (("00:00:05 – 00:00:09",), f"sooner {words}".strip()),
            (("00:10:00 – 00:10:05",), f"later {words}".strip()),
        ]

    def test_of_a_model_without_times_is_text_with_a_warning(self, model: ScriptedModel) -> None:
        model.script = Script(tokens=["Only", " words."])
        said = reader(model.url)(MP3, "a.mp3", "")
        assert said.text == "Only words."
        assert said.warnings == ("The model that heard the recording tells no times.",)

    def test_in_which_nothing_is_said_fails_with_that_reason(self, model: ScriptedModel) -> None:
        model.script = Script(tokens=[])
        with pytest.raises(ParseFailed, match="Nothing is said"):
            reader(model.url)(MP3, "a.mp3", "")

    def test_without_a_model_says_what_is_needed(self) -> None:
        with pytest.raises(ParseFailed) as failed:
            reader("")(MP3, "a.mp3", "")
        assert (failed.value.reason, failed.value.retryable) == (NEEDED, False)

    @pytest.mark.parametrize(
        ("script", "error"),
        [
            (Script(status=503), Unavailable),
            (Script(status=429, retry_after="7"), Unavailable),
            (Script(status=401), Misconfigured),
            (Script(status=404), Misconfigured),
            (Script(status=400), ParseFailed),
            (Script(status=413), ParseFailed),
            (Script(nonsense=True), ParseFailed),
            (Script(segments=[(-1.0, 2.0, "before the beginning")]), ParseFailed),
            (Script(segments=[(1e300, 2.0, "in another age")]), ParseFailed),
            (Script(segments=[(0.0, 0.0, "")] * 100_001), ParseFailed),
        ],
    )
    def test_that_a_model_does_not_hear_fails_or_waits(
        self, model: ScriptedModel, script: Script, error: type[Exception]
    ) -> None:
        model.script = script
        with pytest.raises(error):
            reader(model.url)(MP3, "a.mp3", "")

    @pytest.mark.parametrize(("asked", "waits_s"), [("25", 25.0), (None, 2.0), ("soon", 2.0)])
    def test_waits_as_long_as_the_model_asks(
        self, model: ScriptedModel, asked: str | None, waits_s: float
    ) -> None:
        model.script = Script(status=429, retry_after=asked)
        with pytest.raises(Unavailable) as busy:
            reader(model.url)(MP3, "a.mp3", "")
        assert failure_of(busy.value).wait_s == waits_s

    def test_of_a_model_that_says_a_byte_at_a_time_is_tried_again_later(self) -> None:
        """Each byte comes in time, and the answer never ends."""

        async def drops() -> AsyncIterator[bytes]:
            while True:
                await asyncio.sleep(0.001)
                yield b" "

        def answer(request: httpx.Request) -> httpx.Response:
            return httpx.Response(200, content=drops())

        settings = Settings(
            transcribe_base_url="http://ear.invalid/v1", transcribe_model="ear", transcribe_timeout_s=0.05
        )
        slow = transcriber(settings, httpx.MockTransport(answer))
        assert slow is not None
        with pytest.raises(Unavailable, match="too slowly"):
            slow.transcribe(MP3, "a.mp3", "audio/mpeg")

    async def test_of_a_model_that_does_not_come_to_its_answer_is_tried_again_later(self) -> None:
        """It says without end that it will answer, which no limit for a byte ends."""

        async def hints(writer: asyncio.StreamWriter) -> None:
            while True:
                writer.write(b"HTTP/1.1 103 Early Hints\r\n\r\n")
                await writer.drain()
                await asyncio.sleep(0.001)

        async with serving({"/v1/audio/transcriptions": hints}) as site:
            settings = Settings(
                transcribe_base_url=f"{site.url}/v1", transcribe_model="ear", transcribe_timeout_s=0.3
            )
            ear = transcriber(settings)
            assert ear is not None
            with pytest.raises(Unavailable):
                await asyncio.to_thread(ear.transcribe, MP3, "a.mp3", "audio/mpeg")

    @pytest.mark.parametrize("size", [10, 65 * 2**20])
    def test_whose_answer_is_packed_is_unpacked_within_bounds(self, size: int) -> None:
        def answer(request: httpx.Request) -> httpx.Response:
            packed = gzip.compress(b'{"text": "said' + b" " * size + b'"}', 1)
            return httpx.Response(200, headers={"content-encoding": "gzip"}, stream=httpx.ByteStream(packed))

        settings = Settings(transcribe_base_url="http://ear.invalid/v1", transcribe_model="ear")
        ear = transcriber(settings, httpx.MockTransport(answer))
        assert ear is not None
        if size > 10:
            with pytest.raises(FileRefused, match="without end"):
                ear.transcribe(MP3, "a.mp3", "audio/mpeg")
        else:
            assert ear.transcribe(MP3, "a.mp3", "audio/mpeg").text.strip() == "said"

    def test_of_a_model_whose_segments_are_null_is_its_text(self) -> None:
        def answer(request: httpx.Request) -> httpx.Response:
            said = httpx.ByteStream(b'{"text": "It is said.", "segments": null}')
            return httpx.Response(200, stream=said)

        settings = Settings(transcribe_base_url="http://ear.invalid/v1", transcribe_model="ear")
        ear = transcriber(settings, httpx.MockTransport(answer))
        assert ear is not None
        assert ear.transcribe(MP3, "a.mp3", "audio/mpeg").text == "It is said."

    def test_waits_for_a_model_that_is_off(self) -> None:
        with pytest.raises(Unavailable) as off:
            reader(f"http://127.0.0.1:{free_port()}/v1")(MP3, "a.mp3", "")
        assert off.value.part == "transcribe"


class TestAPicture:
    def test_is_described_beside_what_is_written_in_it(self, model: ScriptedModel) -> None:
        model.script = Script(tokens=["A map of the north shore."])
        seen = reader(model.url, ocr=lambda _: b"Harbour office\n\nPier 3")(picture(), "map.png", "")
        assert [(element.kind, element.text) for element in seen.elements] == [
            ("image_caption", "A map of the north shore."),
            ("ocr_text", "Harbour office"),
            ("ocr_text", "Pier 3"),
        ]
        assert (seen.mime, seen.family, seen.pages) == ("image/png", "image", 1)
        (asked,) = model.script.requests
        told = asked["messages"][0]["content"]
        assert asked["model"] == "eye"
        assert told[1]["image_url"]["url"].startswith("data:image/png;base64,")

    @pytest.mark.parametrize("ocr", [None, lambda _: b""])
    def test_without_letters_is_its_description(
        self, model: ScriptedModel, ocr: Callable[[bytes], bytes] | None
    ) -> None:
        model.script = Script(planner=lambda asked: PlannedReply("A gull.\n\nIt stands on a post."))
        seen = reader(model.url, ocr=ocr)(picture(), "gull.png", "")
        assert [element.text for element in seen.elements] == ["A gull.", "It stands on a post."]

    def test_that_the_model_does_not_take_is_what_is_written_in_it_with_a_warning(
        self, model: ScriptedModel
    ) -> None:
        model.script = Script(status=400, error="sk-secret was refused by the filter")
        seen = reader(model.url, ocr=lambda _: b"Pier 3")(picture(), "map.png", "")
        assert [(element.kind, element.text) for element in seen.elements] == [("ocr_text", "Pier 3")]
        assert seen.warnings == (
            "The picture is not described. The model vision does not take this file (400).",
        )
        with pytest.raises(ParseFailed, match="does not take this file"):
            reader(model.url)(picture(), "map.png", "")

    def test_in_which_nothing_is_seen_fails(self, model: ScriptedModel) -> None:
        model.script = Script(tokens=[])
        with pytest.raises(ParseFailed, match="saw nothing"):
            reader(model.url)(picture(), "blank.png", "")

    def test_that_is_damaged_is_shown_to_no_model(self, model: ScriptedModel) -> None:
        with pytest.raises(ParseFailed, match="damaged"):
            reader(model.url, ocr=lambda _: b"x")(picture()[:60], "torn.png", "")
        assert model.script.requests == []

    def test_waits_for_a_model_that_is_overloaded(self, model: ScriptedModel) -> None:
        model.script = Script(status=503)
        with pytest.raises(Unavailable) as away:
            reader(model.url)(picture(), "gull.png", "")
        assert away.value.part == "vision"


def test_other_files_are_read_without_a_model(model: ScriptedModel) -> None:
    assert reader(model.url)(b"Plain words.", "a.txt", "").text == "Plain words."
    assert model.script.requests == []


def test_recordings_are_told_by_their_first_bytes() -> None:
    assert sniff(MP3, "minutes.txt").family == "audio"
    assert sniff(WAV).mime == "audio/x-wav"
