"""Lines that may be as large as headings and are none: words above remarks, and the captions of examples."""

import re
from collections import Counter
from collections.abc import Sequence

from footnote_ingest.parsing.pdf.lines import PdfLine

_LEAST_REMARKS = 2
"""A word such as "Tip" that stands so often by itself in one size stands above remarks and is no section."""

_REMARKS = frozenset(
    {
        "achtung",
        "astuce",
        "atención",
        "atenção",
        "attention",
        "attenzione",
        "avertissement",
        "aviso",
        "avvertenza",
        "caution",
        "consejo",
        "dica",
        "hinweis",
        "important",
        "importante",
        "nota",
        "note",
        "poznámka",
        "remarque",
        "suggerimento",
        "tip",
        "tipp",
        "uwaga",
        "warning",
        "warnung",
        "wichtig",
        "внимание",
        "подсказка",
        "предупреждение",
        "примечание",
        "ヒント",
        "备注",
        "提示",
        "注意",
        "注記",
        "警告",
    }
)
_LONGEST_REMARK = 20
_EXAMPLE = re.compile(
    r"(?:example|beispiel|exemple|ejemplo|esempio|exemplo|пример)\s\d{1,3}[.-]\d{1,3}\.\s", re.I
)
"""The name of an example, as DocBook writes it: a caption, as those of tables and figures are."""


class Remarks:
    """Tells them by what stands in the whole document."""

    def __init__(self, pages: Sequence[Sequence[PdfLine] | None]) -> None:
        words = (_word(line) for lines in pages for line in lines or ())
        self._seen = Counter(word for word in words if word is not None)

    def has(self, line: PdfLine) -> bool:
        """Whether a line is a word above a remark, or begins the caption of an example."""
        word = _word(line)
        is_remark = word is not None and self._seen[word] >= _LEAST_REMARKS
        return is_remark or _EXAMPLE.match(line.text) is not None


def _word(line: PdfLine) -> tuple[str, float] | None:
    if len(line.text) > _LONGEST_REMARK:
        return None
    word = line.text.lower().rstrip(" :!")
    return (word, line.size) if word in _REMARKS else None
