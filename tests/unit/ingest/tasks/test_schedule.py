"""What beat starts, and how often."""

from footnote_ingest.worker import celery_app, settings


def test_ingest_is_swept_as_the_settings_say_and_tidied_up_every_hour() -> None:
    schedule = celery_app.conf.beat_schedule
    assert {name: entry["schedule"] for name, entry in schedule.items()} == {
        "sweep": settings.sweep_s,
        "tidy": 3600,
    }


def test_a_run_that_nobody_took_expires_when_the_next_is_due() -> None:
    for entry in celery_app.conf.beat_schedule.values():
        assert entry["options"]["expires"] == entry["schedule"]
