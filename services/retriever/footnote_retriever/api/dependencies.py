"""What the routes of the retriever are given."""

from typing import Annotated

from fastapi import Depends

from footnote_retriever.funnel.funnel import Funnel
from footnote_shared.web.dependencies import from_state

FunnelDep = Annotated[Funnel, Depends(from_state("funnel"))]
