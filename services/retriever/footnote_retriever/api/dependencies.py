"""What the routes of the retriever are given."""

from typing import Annotated

from fastapi import Depends

from footnote_retriever.funnel.resources import SearchResources
from footnote_shared.web.dependencies import from_state

Resources = Annotated[SearchResources, Depends(from_state("funnel"))]
