"""What the routes find at `app.state`."""

from typing import Annotated

from fastapi import Depends, Request

from footnote_retriever.funnel.run import Funnel


def _funnel(request: Request) -> Funnel:
    funnel: Funnel = request.app.state.funnel
    return funnel


FunnelDep = Annotated[Funnel, Depends(_funnel)]
