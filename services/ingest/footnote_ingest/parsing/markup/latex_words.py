"""What the commands and environments of LaTeX stand for, as far as the reader knows them."""

import re
import unicodedata
from functools import lru_cache

HEADINGS = {
    "part": 1,
    "addpart": 1,
    "chapter": 2,
    "addchap": 2,
    "section": 3,
    "addsec": 3,
    "subsection": 4,
    "frametitle": 4,
    "subsubsection": 5,
    "paragraph": 6,
    "subparagraph": 7,
}
"""The level of each command for a heading."""

_OWN_HEADING = re.compile(
    r"(?!.{0,20}(?:ref|label|name|title|mark|break|number|input|include|list|set|end|begin|if|the|new))"
    r"[A-Za-z]{0,12}?((?:sub){0,2}section|chapter|(?:sub)?paragraph)",
    re.I,
)
_LONGEST_HEADING_NAME = 30
PLAIN_CODE = {name: name.replace("begin", "end", 1) for name in ("beginexample", "begintt", "beginverbatim")}
"""Commands of plain TeX around code."""


@lru_cache(maxsize=1_000)
def heading_level(name: str) -> int | None:
    """The level of a command for a heading; None for any other command.

    A style of its own calls them after the known ones: `\\Section`, `\\mysubsection`.
    """
    if name in HEADINGS or len(name) > _LONGEST_HEADING_NAME:
        return HEADINGS.get(name)
    own = _OWN_HEADING.fullmatch(name)
    return HEADINGS[own[1].lower()] if own is not None else None


FACTS = frozenset(("title", "author", "date"))
SAID_AHEAD = frozenset(("Abstract", "abstract", "Keywords", "keywords", "subtitle", "subject"))
"""Commands of the preamble whose text is printed."""

NOTES = frozenset(("footnote", "footnotetext", "thanks", "endnote", "marginpar", "sidenote"))
OTHER_FILES = frozenset(("input", "include", "subfile", "verbatiminput", "lstinputlisting", "VerbatimInput"))
CODE = frozenset(
    (
        *("verbatim", "verbatim*", "Verbatim", "BVerbatim", "LVerbatim", "alltt", "lstlisting", "minted"),
        *("Sinput", "Soutput", "Scode", "Code", "CodeInput", "CodeOutput", "filecontents", "filecontents*"),
        "code",
    )
)
CLAUSES = frozenset(("Clause", "SubClause"))
CLAUSE_LEVEL = 6
"""The paragraphs of a contract (scrjura), which have numbers, stand below all sections."""

FRAMES, BLOCKS = frozenset(("frame",)), frozenset(("block", "alertblock", "exampleblock"))
FRAME_LEVEL = 4
"""What is on a slide of Beamer, and in a box on it, has its name in braces behind its beginning."""

UNREAD = frozenset(("comment", "tikzpicture", "picture", "pspicture", "filecontents", "filecontents*"))
"""Environments whose source is no text that a reader of the page sees."""

EQUATIONS = frozenset(
    f"{name}{star}"
    for name in ("equation", "align", "gather", "multline", "eqnarray", "displaymath", "math", "flalign")
    for star in ("", "*")
)
TABLES = {
    "tabular": 1,
    "tabular*": 2,
    "tabularx": 2,
    "tabulary": 2,
    "longtable": 1,
    "supertabular": 1,
    "xltabular": 2,
    "tblr": 1,
    "array": 1,
}
"""How many arguments describe the layout of a table."""

DROPPED_AT_BEGIN = {"thebibliography": 1, "minipage": 1, "multicols": 1, "wrapfigure": 2, "adjustwidth": 2}
"""How many arguments of other environments are no text."""

_DROPPED = (
    "label ref eqref pageref autoref nameref cref Cref vref vpageref cite citep citet citealp citealt "
    "citeauthor citeyear citeyearpar parencite textcite autocite footcite nocite "
    "vspace hspace includegraphics bibliography bibliographystyle addbibresource pagestyle "
    "thispagestyle pagenumbering usepackage RequirePackage documentclass hypersetup index glossary markright "
    "color textcolor colorbox definecolors raisebox parbox linespread setstretch geometry cline cmidrule "
    "hypertarget hyperlink usetikzlibrary lstset foreignlanguage selectlanguage hyphenation newif newcounter "
    "newlength phantom vphantom hphantom stepcounter refstepcounter SweaveOpts graphicspath "
    "tikzset pgfplotsset captionsetup tcbset fvset mintedset setlist sisetup fancyhead fancyfoot lhead chead "
    "rhead lfoot cfoot rfoot usemintedstyle setmainfont setsansfont setmonofont setmathfont fontfamily "
    "fontencoding fontseries fontshape enlargethispage DeclareGraphicsExtensions",
    "newcommand renewcommand providecommand DeclareMathOperator setlength addtolength setcounter "
    "addtocounter markboth rule fontsize multirow newtheorem pdfbookmark setbeamertemplate "
    "DeclareRobustCommand resizebox newminted newmintinline newmintedfile setkeys numberwithin "
    "lstdefinestyle lstdefinelanguage PassOptionsToPackage",
    "newenvironment renewenvironment addcontentsline definecolor lstnewenvironment newtcblisting "
    "renewtcblisting DefineVerbatimEnvironment CustomVerbatimEnvironment RecustomVerbatimEnvironment "
    "NewTCBListing RenewTCBListing ProvideTCBListing DeclareTCBListing "
    "NewDocumentCommand RenewDocumentCommand ProvideDocumentCommand DeclareDocumentCommand",
    "NewDocumentEnvironment RenewDocumentEnvironment ProvideDocumentEnvironment DeclareDocumentEnvironment "
    "titlespacing",
    "titleformat",
)
DROPPED = {name: count for count, names in enumerate(_DROPPED, start=1) for name in names.split()}
"""How many arguments of a command are no text. What follows them is."""

TAKE_TEXT = HEADINGS.keys() | FACTS | NOTES | OTHER_FILES | {"caption", "captionof", "url", "href"}
"""Commands whose argument may stand behind blanks, or in the next line."""

DEFINITIONS = frozenset(
    (
        *("newcommand", "renewcommand", "providecommand", "DeclareRobustCommand", "DeclareMathOperator"),
        *("NewDocumentCommand", "RenewDocumentCommand", "ProvideDocumentCommand", "DeclareDocumentCommand"),
    )
)
"""Commands that define another one."""

_DIMENSION = re.compile(
    r"[ =]{0,4}[+-]?(?:\d{1,6}(?:\.\d{0,6})?|\.\d{1,6})[ ]?"
    r"(?:true)?(?:pt|em|ex|mm|cm|in|pc|bp|dd|cc|sp|mu)?[ ]?"
)
_RULE_PART = re.compile(r"\([lr]{1,2}\)")
_BLANK = re.compile(r"[ ]")
_SWITCHES = (
    "tiny scriptsize footnotesize small normalsize large Large LARGE huge Huge bf it rm sc sf sl tt em "
    "bfseries mdseries itshape scshape slshape upshape rmfamily sffamily ttfamily"
)
_REGISTERS = (
    "tolerance pretolerance hbadness vbadness hfuzz vfuzz emergencystretch penalty clubpenalty widowpenalty "
    "hyphenpenalty looseness itemsep parsep topsep parskip parindent baselineskip leftskip rightskip "
    "tabcolsep"
)
"""What a text may give a number in its midst, as in `\\tolerance=1000`."""

SKIPPED = {
    **dict.fromkeys(_SWITCHES.split(), _BLANK),
    **dict.fromkeys(
        ("kern", "mkern", "raise", "lower", "hskip", "vskip", "moveleft", "moveright", *_REGISTERS.split()),
        _DIMENSION,
    ),
    "cmidrule": _RULE_PART,
}
"""What follows a command without braces and is no text."""

SYMBOLS = {
    **{sign: sign for sign in "%&#$_{}"},
    **dict.fromkeys("-/@!", ""),
    **dict.fromkeys(",;: \n\t", " "),
    "textquotedbl": '"',
    "textquotesingle": "'",
    "textquoteleft": "‘",
    "textquoteright": "’",
    "textquotedblleft": "“",
    "textquotedblright": "”",
    "textbackslash": "\\",
    "textasciitilde": "~",
    "textasciicircum": "^",
    "textasciigrave": "`",
    "textbar": "|",
    "textless": "<",
    "textgreater": ">",
    "textunderscore": "_",
    "textbraceleft": "{",
    "textbraceright": "}",
    "textendash": "–",
    "textemdash": "—",
    "textbullet": "•",
    "textellipsis": "…",
    "textregistered": "®",
    "textcopyright": "©",
    "texttrademark": "™",
    "textdegree": "°",
    "texteuro": "€",
    "euro": "€",
    "pounds": "£",
    "copyright": "©",
    "ldots": "…",
    "dots": "…",
    "S": "§",
    "P": "¶",
    "dag": "†",
    "ddag": "‡",
    "ss": "ß",
    "ae": "æ",
    "AE": "Æ",
    "oe": "œ",
    "OE": "Œ",
    "o": "ø",
    "O": "Ø",
    "l": "ł",
    "L": "Ł",
    "aa": "å",
    "AA": "Å",
    "i": "ı",
    "j": "ȷ",
    "dh": "ð",
    "th": "þ",
    "glqq": "„",
    "grqq": "“",
    "flqq": "«",
    "frqq": "»",
    "TeX": "TeX",
    "LaTeX": "LaTeX",
    "LaTeXe": "LaTeX2e",
    "BibTeX": "BibTeX",
    "quad": " ",
    "qquad": " ",
    "space": " ",
    "newline": " ",
    "linebreak": " ",
    "and": ", ",
    "And": ", ",
    "AND": ", ",
}
"""The characters that a command stands for."""

_COMBINING = {
    "`": "\u0300",
    "'": "\u0301",
    "^": "\u0302",
    "~": "\u0303",
    "=": "\u0304",
    "u": "\u0306",
    ".": "\u0307",
    '"': "\u0308",
    "r": "\u030a",
    "H": "\u030b",
    "v": "\u030c",
    "d": "\u0323",
    "c": "\u0327",
    "k": "\u0328",
    "b": "\u0331",
}
ACCENTS = frozenset(_COMBINING)


def accented(mark: str, letter: str) -> str:
    """The letter with the accent that this command puts on it; a mark on nothing is the mark."""
    return unicodedata.normalize("NFC", letter + _COMBINING[mark]) if letter else mark
