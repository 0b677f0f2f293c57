"""What the workspace holds and has asked, as the console sees it."""

from dataclasses import dataclass, field

from fastapi import FastAPI

from footnote_agent.contracts.usage import AvatarUsage, DayUsage, Spent, TurnUsage
from footnote_ingest.contracts.holdings import Holdings


@dataclass
class FakeUsage:
    """`spans` are the numbers of days that were asked for."""

    held: Holdings = field(
        default_factory=lambda: Holdings(
            documents=3, documents_limit=100, bytes=2048, bytes_limit=2**20, chunks=12
        )
    )
    total: Spent = field(default_factory=Spent)
    days: list[DayUsage] = field(default_factory=list)
    avatars: list[AvatarUsage] = field(default_factory=list)
    spans: list[int] = field(default_factory=list)

    def add_to(self, app: FastAPI) -> None:
        @app.get("/v1/documents:usage")
        async def holdings() -> Holdings:
            return self.held

        @app.get("/v1/turns:usage")
        async def asked(days: int) -> TurnUsage:
            self.spans.append(days)
            return TurnUsage(since="2026-11-16", total=self.total, days=self.days, avatars=self.avatars)
