"""A parser that an attacker has taken over gets nothing that it does not need, and reaches nobody."""

import errno
import os
import platform
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.sandbox.confinement import Confinement, Offered, offered, refusal, what_holds
from footnote_ingest.sandbox.denied_calls import DENIED
from footnote_ingest.sandbox.sandbox import Sandbox
from footnote_shared.settings.base import Settings
from footnote_shared.settings.services import ParseConfinement
from tests.unit.ingest.defaults import parse_limits
from tests.unit.ingest.parsing import sample_files
from tests.unit.ingest.sandbox.light_template import PROGRAM

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or bool(offered().missing), reason="the kernel lacks Landlock or seccomp"
)

CALL = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def call(function, *arguments):
    if function(*arguments) < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    print("allowed")
"""


class HostileSandbox(Sandbox):
    """A sandbox whose documents are programs."""

    template = "tests.unit.ingest.sandbox.hostile_template"

    def run(self, program: str) -> str:
        return self.parse(program.encode(), PROGRAM).text.strip()


class LightSandbox(HostileSandbox):
    """One without parsers, for a test that needs a template of its own."""

    template = "tests.unit.ingest.sandbox.light_template"


@pytest.fixture(scope="module")
def hostile() -> Iterator[HostileSandbox]:
    with closing(HostileSandbox(parse_limits(), tesseract="/bin/echo")) as box:
        yield box


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "service_secret"
    path.write_text("do not tell")
    path.chmod(0o600)
    return path


@pytest.fixture
def near_sandbox(tmp_path: Path) -> Iterator[Path]:
    """The folder of another document that is parsed at the same time."""
    with tempfile.TemporaryDirectory(prefix="footnote-parse-") as folder:
        (Path(folder) / "page.png").write_text("of another tenant")
        yield Path(folder)


def test_nobody_else_can_put_code_or_settings_where_the_template_looks(hostile: HostileSandbox) -> None:
    home, no_user_site = hostile.run(
        "import os, sys; print(os.path.expanduser('~'), sys.flags.no_user_site)"
    ).split()
    assert not Path(home).exists()
    assert no_user_site == "1"


class TestFiles:
    @pytest.mark.parametrize(
        "attempt",
        [
            "open({secret!r}).read()",
            "os.listdir({folder!r})",
            "os.listdir('/')",
            "open('/etc/shadow').read()",
            "open('/etc/passwd').read()",
            "open('/proc/self/environ').read()",
            "open('/proc/{worker}/environ').read()",
            "open('/proc/{worker}/mem', 'rb').read(1)",
            "os.listdir('/proc/{worker}/fd')",
            "open({near!r} + '/page.png').read()",
            "open({folder!r} + '/new', 'w')",
            "open({secret!r}, 'w')",
            "open('/tmp/new', 'w')",
            "open({near!r} + '/new', 'w')",
            "os.mkdir({folder!r} + '/new')",
            "os.unlink({secret!r})",
            "os.rename({secret!r}, {folder!r} + '/moved')",
            "os.link({secret!r}, 'linked')",
            "os.truncate({secret!r}, 0)",
            "os.chmod({secret!r}, 0o666)",
            "os.chown({secret!r}, 0, 0)",
            "os.utime({secret!r}, (0, 0))",
            "os.setxattr({secret!r}, 'user.a', b'b')",
            "os.mkfifo({folder!r} + '/fifo')",
        ],
    )
    def test_of_others_cannot_be_read_or_changed(
        self, hostile: HostileSandbox, secret: Path, near_sandbox: Path, attempt: str
    ) -> None:
        filled = attempt.format(
            secret=str(secret), folder=str(secret.parent), near=str(near_sandbox), worker=os.getpid()
        )
        assert hostile.run(f"import os, tempfile\nos.chdir(tempfile.gettempdir())\n{filled}") == "refused"
        assert secret.read_text() == "do not tell"
        assert secret.stat().st_mode & 0o777 == 0o600
        assert [path.name for path in secret.parent.iterdir()] == [secret.name]

    def test_of_its_own_can_be_written_and_libraries_can_be_read(self, hostile: HostileSandbox) -> None:
        program = (
            "import os, tempfile, fractions, lxml.html, openpyxl.chart, zoneinfo\n"
            "with tempfile.NamedTemporaryFile('w+', dir=tempfile.mkdtemp()) as file:\n"
            "    file.write('fine')\n    file.seek(0)\n    print(file.read())\n"
        )
        assert hostile.run(program) == "fine"

    def test_only_those_that_it_needs_are_open(self, hostile: HostileSandbox) -> None:
        program = (
            "import os\nopen_ = 0\nfor number in range(3, 1000):\n    try:\n        os.fstat(number)\n"
            "    except OSError:\n        continue\n    open_ += 1\nprint(open_)"
        )
        assert hostile.run(program) == "2", "the socket of the document, and that for pictures"

    def test_the_environment_holds_nothing_of_the_worker(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("FOOTNOTE_SERVICE_SECRET", "do not tell")
        with closing(LightSandbox(parse_limits())) as box:
            names = box.run("import os\nprint(*os.environ)").split()
        assert not [name for name in names if name.startswith("FOOTNOTE")]
        assert set(names) >= {"LANG", "PATH"}


class TestProcesses:
    @pytest.mark.parametrize(
        "attempt",
        [
            "os.execv('/bin/sh', ['sh', '-c', 'true'])",
            "os.posix_spawn('/bin/sh', ['sh', '-c', 'true'], {{}})",
            "__import__('subprocess').run(['/bin/true'])",
            "os.memfd_create('program')",
            "os.fork()",
            "call(libc.vfork)",
            "os.setsid()",
            "os.setpgid(0, 0)",
            "os.kill({worker}, 0)",
            "os.kill({worker}, 9)",
            "os.kill(os.getppid(), 9)",
            "os.kill(-1, 0)",
            "os.killpg(os.getpgid({worker}), 0)",
            "__import__('fcntl').fcntl(0, 8, {worker})",
            "call(libc.ptrace, 16, {worker}, 0, 0)",
            "call(libc.process_vm_readv, {worker}, 0, 0, 0, 0, 0)",
            "os.pidfd_open({worker})",
            "__import__('resource').prlimit({worker}, 7, (0, 0))",
            "os.setpriority(os.PRIO_PROCESS, {worker}, 19)",
            "os.sched_setaffinity({worker}, [0])",
            "call(libc.prctl, 1, 0, 0, 0, 0)",
        ],
    )
    def test_neither_start_nor_are_reached(self, hostile: HostileSandbox, attempt: str) -> None:
        program = CALL + attempt.format(worker=os.getpid())
        assert hostile.run(program) == "refused"

    def test_nor_do_threads_start(self, hostile: HostileSandbox) -> None:
        program = "import threading\nthreading.Thread(target=print).start()"
        assert "can't start new thread" in hostile.run(program)

    def test_no_call_of_the_list_reaches_the_kernel(self, hostile: HostileSandbox) -> None:
        column = {"x86_64": 1, "aarch64": 2}[platform.machine()]
        numbers = {row[0]: row[column] for row in DENIED if row[column] is not None}
        program = CALL + (
            f"for name, number in {numbers}.items():\n"
            "    libc.syscall(number, 0, 0, 0, 0, 0, 0)\n"
            "    if ctypes.get_errno() != 1:\n        print(name, ctypes.get_errno())\n"
            "    ctypes.set_errno(0)\n"
            "print(f'{libc.syscall(470, 0)} {ctypes.get_errno()}')"
        )
        assert hostile.run(program) == f"-1 {errno.ENOSYS}", "and a call that is younger is not there at all"

    @pytest.mark.parametrize(
        "attempt",
        ["call(libc.mount, b'/', b'/', b'', 0, b'')", "call(libc.unshare, 0x10000000)", "os.chroot('/')"],
    )
    def test_the_machine_is_not_touched(self, hostile: HostileSandbox, attempt: str) -> None:
        assert hostile.run(CALL + attempt) == "refused"

    def test_nobody_else_can_be_become(self, hostile: HostileSandbox) -> None:
        assert hostile.run("import os\nos.setuid(12345)") == "refused"

    def test_no_capability_is_left(self, hostile: HostileSandbox) -> None:
        program = CALL + (
            "import struct\nheader = struct.pack('=Ii', 0x20080522, 0)\n"
            "data = ctypes.create_string_buffer(24)\n"
            "libc.capget(header, data)\nprint(data.raw == bytes(24))\n"
        )
        assert hostile.run(program) == "True"


class TestSockets:
    @pytest.mark.parametrize("family", ["AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK", "AF_PACKET"])
    def test_cannot_be_made(self, hostile: HostileSandbox, family: str) -> None:
        number = int(getattr(socket, family))
        assert hostile.run(f"{CALL}call(libc.socket, {number}, 1, 0)") == "refused"
        assert hostile.run(f"{CALL}call(libc.socketpair, {number}, 2, 0, bytes(8))") == "refused"

    def test_that_of_the_document_reaches_nobody_else(self, hostile: HostileSandbox, tmp_path: Path) -> None:
        with socket.socket(socket.AF_UNIX) as redis:
            redis.bind(str(tmp_path / "redis.sock"))
            redis.listen()
            program = (
                "import os, socket, stat\n"
                "for number in range(3, 100):\n    try:\n        mode = os.fstat(number).st_mode\n"
                "    except OSError:\n        continue\n    if stat.S_ISSOCK(mode):\n"
                f"        socket.socket(fileno=os.dup(number)).connect({str(tmp_path / 'redis.sock')!r})\n"
            )
            assert hostile.run(program) == "refused"


class TestOcr:
    def test_is_the_one_program_that_runs(self, hostile: HostileSandbox) -> None:
        assert hostile.run("print(ocr(b'a picture').decode())") == "stdin stdout"

    def test_of_a_scanned_page(self) -> None:
        with closing(Sandbox(parse_limits(), tesseract="/bin/echo")) as box:
            extracted = box.parse(sample_files.blank_pdf(2), "scan.pdf")
        assert [(e.text, e.page) for e in extracted.elements] == [("stdin stdout", 1), ("stdin stdout", 2)]

    def test_its_program_is_confined_too(self, tmp_path: Path) -> None:
        (tmp_path / "secret").write_text("do not tell")
        script = tmp_path / "tesseract"
        script.write_text("#!/bin/sh\necho started\n")
        script.chmod(0o755)
        with closing(LightSandbox(parse_limits(), tesseract=str(script))) as box:
            assert "The OCR program failed" in box.run("ocr(b'')"), "the shell is not tesseract"
        with closing(LightSandbox(parse_limits(), tesseract="/bin/cat")) as box:
            program = (
                "import os, socket, tempfile\n"
                "os.chdir(tempfile.gettempdir())\n"
                f"os.symlink({str(tmp_path / 'secret')!r}, 'stdin')\n"
                "print(ocr(b''))"
            )
            assert "do not tell" not in box.run(program)

    def test_what_is_not_a_request_is_passed_over(self, hostile: HostileSandbox) -> None:
        program = "ocr._channel.send(b'x')\nprint(ocr(b'a picture').decode())"
        assert hostile.run(program) == "stdin stdout"


class TestTime:
    def test_of_the_clock_is_up_for_a_parser_that_sleeps(self) -> None:
        with closing(LightSandbox(parse_limits(wall=5, cpu=600))) as box:
            with pytest.raises(ParseFailed, match="longer than 5 seconds") as caught:
                box.run("import time\ntime.sleep(600)")
            assert caught.value.code == "timeout"
            assert box.run("print('still here')") == "still here"

    def test_of_the_processor_does_not_pass_while_a_parser_waits(self) -> None:
        with closing(LightSandbox(parse_limits(cpu=1))) as box:
            assert box.run("import time\ntime.sleep(2.5)\nprint('awake')") == "awake"

    def test_is_up_although_the_timer_was_stopped(self) -> None:
        with closing(LightSandbox(parse_limits(wall=5))) as box:
            with pytest.raises(ParseFailed) as caught:
                box.run("import signal\nsignal.setitimer(signal.ITIMER_REAL, 0)\nsignal.pause()")
            assert caught.value.code == "timeout"
            assert box.run("print('still here')") == "still here"


class TestModes:
    NOTHING = Offered(0, False)

    def test_without_landlock_or_seccomp_no_document_is_parsed(self) -> None:
        reason = refusal("required", self.NOTHING)
        assert reason is not None
        assert "lacks Landlock and seccomp" in reason
        assert "FOOTNOTE_PARSE_CONFINEMENT" in reason
        assert refusal("required", Offered(3, False)) is not None
        assert refusal("required", Offered(0, True)) is not None
        assert refusal("required", Offered(1, True)) is None

    @pytest.mark.parametrize("mode", ["available", "off"])
    def test_an_operator_can_allow_less(self, mode: ParseConfinement) -> None:
        assert refusal(mode, self.NOTHING) is None

    def test_the_reason_is_that_of_the_document(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr("footnote_ingest.sandbox.confinement.offered", lambda: self.NOTHING)
        with pytest.raises(ParseFailed, match="cannot be confined") as caught:
            Confinement("required", None).of_child(str(tmp_path))
        assert (caught.value.code, caught.value.retryable) == ("unconfined", True)

    def test_off_is_off(self, secret: Path) -> None:
        with closing(LightSandbox(parse_limits(), confinement="off")) as box:
            assert box.run(f"print(open({str(secret)!r}).read())") == "do not tell"

    @pytest.mark.parametrize(
        ("mode", "there", "words"),
        [
            (
                "required",
                Offered(7, True),
                "ok, confined by no capabilities, no new privileges, Landlock (version 7), seccomp",
            ),
            (
                "available",
                Offered(0, True),
                "ok, confined by no capabilities, no new privileges, seccomp; this machine lacks Landlock",
            ),
            ("off", Offered(7, True), "ok, but not confined: FOOTNOTE_PARSE_CONFINEMENT is off"),
            ("required", Offered(0, True), refusal("required", Offered(0, True))),
        ],
    )
    def test_the_operator_is_told_what_holds(
        self, mode: ParseConfinement, there: Offered, words: str
    ) -> None:
        assert what_holds(mode, there) == words

    def test_required_is_the_default(self) -> None:
        assert Settings().parse_confinement == "required"
