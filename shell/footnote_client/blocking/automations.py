"""Automations: questions that are asked by a schedule, and their runs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from footnote_client.blocking.server_link import ServerLink
from footnote_client.call import Call
from footnote_client.models import Automation, AutomationList, AutomationRun, AutomationRunList


class AutomationCalls:
    """`client.automations`."""

    def __init__(self, link: ServerLink) -> None:
        self._link = link

    def create(
        self,
        name: str,
        text: str,
        schedule: str,
        *,
        time_zone: str | None = None,
        missed: str | None = None,
        thread_id: str | None = None,
        mentions: Sequence[Mapping[str, str]] = (),
        **more: Any,
    ) -> Automation:
        """Ask a question by a schedule of cron, in UTC unless a time zone is given.

        `more` may hold `preset` and `settings`, which are those of a turn, and `paused`.
        """
        body = {
            "name": name,
            "text": text,
            "schedule": schedule,
            "time_zone": time_zone,
            "missed": missed,
            "thread_id": thread_id,
            "mentions": list(mentions),
            **more,
        }
        return self._link.send(Call("POST", "/v1/automations", Automation, body=body))

    def find(self) -> Iterator[Automation]:
        """Your automations, newest first."""
        return self._link.each(Call("GET", "/v1/automations", AutomationList), AutomationList)

    def get(self, automation_id: str) -> Automation:
        return self._link.send(Call("GET", "/v1/automations/{automation_id}", Automation, _of(automation_id)))

    def change(self, automation_id: str, **changes: Any) -> Automation:
        """Change the fields that are named, or pause it. With `if_version`, only that version is changed."""
        return self._link.send(
            Call(
                "PATCH",
                "/v1/automations/{automation_id}",
                Automation,
                _of(automation_id),
                body=changes,
                once=True,
            )
        )

    def delete(self, automation_id: str) -> None:
        """Delete an automation with the list of its runs. Threads and answers stay."""
        self._link.send(Call("DELETE", "/v1/automations/{automation_id}", type(None), _of(automation_id)))

    def run(self, automation_id: str) -> AutomationRun:
        """Run it now, paused or not. Its schedule stays as it is."""
        return self._link.send(
            Call("POST", "/v1/automations/{automation_id}:run", AutomationRun, _of(automation_id))
        )

    def runs(self, automation_id: str) -> Iterator[AutomationRun]:
        """Its runs, newest first."""
        call = Call("GET", "/v1/automations/{automation_id}/runs", AutomationRunList, _of(automation_id))
        return self._link.each(call, AutomationRunList)


def _of(automation_id: str) -> dict[str, str]:
    return {"automation_id": automation_id}
