"""The rate beside a bar."""

from rich.progress import Progress

from footnote_cli.uploads.bars import RateColumn


def shown(seconds: float, files: int) -> str:
    now = 0.0
    progress = Progress(get_time=lambda: now)
    task = progress.add_task("uploaded", total=files)
    progress.update(task, completed=0)
    for part in (1, 2):
        now = seconds * part / 2
        progress.update(task, completed=files * part // 2)
    return RateColumn().render(progress.tasks[0]).plain


def test_files_a_second_are_told() -> None:
    assert shown(2.0, 30) == "15.0/s"


def test_a_rate_over_a_moment_is_not() -> None:
    assert shown(0.00001, 3) == ""


def test_files_that_were_there_already_make_no_rate_of_thousands() -> None:
    now = 0.0
    progress = Progress(get_time=lambda: now)
    task = progress.add_task("uploaded", total=100)
    for share in range(1, 61):
        now = share / 1000
        progress.update(task, completed=share)
    now = 2.0
    assert RateColumn().render(progress.tasks[0]).plain == "30.0/s"
