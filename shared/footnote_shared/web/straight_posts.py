"""POSTs that are answered right behind the door.

What the framework does for a route (two stacks of exits, its dependencies, a body that is parsed and then
validated) takes more of the processor than several steps of a search. So a route that is asked all the time
may lend the function behind it. Whatever is not a valid request still goes the whole way, and FastAPI says
what is wrong with it (docs/adr/0109).
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeAlias

from fastapi import Request
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.types import Scope

from footnote_shared.kernel.errors import FootnoteError
from footnote_shared.web.problems import answer_of

StraightPost: TypeAlias = Callable[[Request, bytes], Awaitable[Response | None]]
"""Takes a request whose caller is admitted, and its whole body. None: the body is none of the route's."""

_JSON = "application/json"


class StraightPosts:
    """The functions behind some routes, by the path of the route. A path has no parameters."""

    def __init__(self, posts: Mapping[str, StraightPost], routes: Sequence[BaseRoute]) -> None:
        """Raises KeyError for a path without a route: what is answered is in the OpenAPI document too."""
        takers = [route for route in routes if "POST" in (getattr(route, "methods", None) or ())]
        by_path: dict[str, Any] = {getattr(route, "path", ""): route for route in takers}
        self._posts = {path: (post, by_path[path]) for path, post in posts.items()}

    async def answer(self, scope: Scope, headers: Headers, body: bytes) -> Response | None:
        """The answer to a request, also where it is an error. None: the framework has to give it."""
        found = self._posts.get(scope["path"])
        if found is None or scope["method"] != "POST" or headers.get("content-type") != _JSON:
            return None
        post, route = found
        request = Request(scope)
        before = scope.get("route")
        # Metrics, spans and the audit log name the route.
        scope["route"] = route
        try:
            answer = await post(request, body)
        except FootnoteError as error:
            return await answer_of(request, error)
        if answer is None:
            scope["route"] = before
        return answer
