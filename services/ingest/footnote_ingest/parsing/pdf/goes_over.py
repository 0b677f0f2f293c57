"""What a program writes where a listing goes over the end of a page, which is no part of it."""

import re

_GOES_OVER = re.compile(
    r"\((?:continued from previous page|continues on next page|fortsetzung der vorherigen seite"
    r"|fortsetzung auf der nächsten seite|suite de la page précédente|suite sur la page suivante"
    r"|proviene de la página anterior|continúe en la próxima página|continua dalla pagina precedente"
    r"|continua alla pagina successiva|продолжение с предыдущей страницы"
    r"|продолжается на следующей странице|前のページからの続き|次のページに続く|续上页|下页继续)\)",
    re.I,
)


def tells_to_go_on(text: str) -> bool:
    """Whether a line says that it goes on on the next page, or from the one before, and nothing else."""
    return text.startswith("(") and _GOES_OVER.fullmatch(text) is not None
