"""The command `footnote`: finds the command that was asked for, and turns errors into exit statuses."""

import difflib
import sys
from importlib.metadata import version

from footnote_cli import completion
from footnote_cli.commands_list import COMMANDS, load_command
from footnote_cli.embedded.private_files import keep_to_owner
from footnote_cli.metrics_folder import COUNTING_TOGETHER, count_together
from footnote_cli.own_server import own_file
from footnote_cli.render import Printed, neutral, print_json
from footnote_cli.where_it_stands import tell_threads_on_signal
from footnote_shared.kernel.errors import FootnoteError, InvalidRequest, Misconfigured, Unavailable
from footnote_shared.kernel.problem_document import problem_of
from footnote_shared.settings.base import load_settings

_HELP_NAMES = ["-h", "--help"]
_DISTRIBUTED = ("serve", "worker", "beat", "migrate")
_WIDTH = max(map(len, COMMANDS))


def main() -> None:
    """Run one command. No other user of the machine may read what it makes.

    Exit status: 0 all well, 1 something failed and was named, 2 wrong use, 3 no server answers (spec 9.1).
    """
    keep_to_owner()
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if completion.asked_for(name):
        completion.answer()
    if name in ("", "help", *_HELP_NAMES):
        print(_help())
        sys.exit(0 if name else 2)
    if name == "--version":
        print(f"footnote {version('footnote')}")
        sys.exit(0)
    if name not in COMMANDS:
        close = difflib.get_close_matches(name, COMMANDS, n=1)
        hint = f" Did you mean `footnote {close[0]}`?" if close else ""
        print(
            f"footnote: there is no command `{neutral(name)}`.{hint} `footnote --help` lists them.",
            file=sys.stderr,
        )
        sys.exit(2)
    if name in (*_DISTRIBUTED, "up"):
        # From the start on: until a process has an answer to the signal, it would be ended by it.
        tell_threads_on_signal()
    printed = Printed.documents
    try:
        if name in COUNTING_TOGETHER and not {*sys.argv[2:]} & {*_HELP_NAMES}:
            count_together(load_settings().data, name, sys.argv[2:])
        command = load_command(name)
        command(args=sys.argv[2:], prog_name=f"footnote {name}", help_option_names=_HELP_NAMES)
    except FootnoteError as error:
        print(f"footnote: {neutral(error.detail, lines=True)}", file=sys.stderr)
        for item in error.errors:
            if item.message in error.detail:
                continue
            print(f"  {neutral(item.field)}: {neutral(item.message)}", file=sys.stderr)
        if "--json" in sys.argv[2:] and Printed.documents == printed:
            # What reads standard output gets a document in any case, and no second one.
            print_json(problem_of(error))
        sys.exit(_exit_status(error))


def _help() -> str:
    return "\n".join(
        [
            "Usage: footnote COMMAND [OPTIONS]",
            "",
            "Answers over your own documents, with a number behind every claim that the server can prove.",
            "",
            *(_line(name) for name in COMMANDS if name not in _DISTRIBUTED),
            "",
            "Where each service runs on its own:",
            *(_line(name) for name in _DISTRIBUTED),
            "",
            "Begin with `footnote up`; then, in another terminal:",
            "  footnote ingest FOLDER",
            '  footnote ask "What do our documents say about ...?"',
            "",
            "`footnote COMMAND --help` explains a command; `footnote --version` names the version;",
            "`footnote --install-completion` makes your shell complete commands and options.",
            "Another server: FOOTNOTE_URL and FOOTNOTE_API_KEY, or url and api_key in",
            f"  {own_file()}",
            "Exit status: 0 all well, 1 something failed and was named, 2 wrong use, 3 no server answers.",
        ]
    )


def _line(name: str) -> str:
    return f"  {name:{_WIDTH}} {COMMANDS[name].line}"


def _exit_status(error: FootnoteError) -> int:
    if isinstance(error, Unavailable) and error.part == "footnote":
        return 3
    return 2 if isinstance(error, Misconfigured | InvalidRequest) else 1
