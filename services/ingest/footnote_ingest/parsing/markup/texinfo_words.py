"""What the commands of Texinfo stand for (https://www.gnu.org/software/texinfo/manual/texinfo/)."""

HEADINGS = {
    **dict.fromkeys(("part",), 1),
    **dict.fromkeys(
        ("top", "chapter", "unnumbered", "appendix", "majorheading", "chapheading", "centerchap"), 2
    ),
    **dict.fromkeys(("section", "unnumberedsec", "appendixsec", "appendixsection", "heading"), 3),
    **dict.fromkeys(("subsection", "unnumberedsubsec", "appendixsubsec", "subheading"), 4),
    **dict.fromkeys(("subsubsection", "unnumberedsubsubsec", "appendixsubsubsec", "subsubheading"), 5),
}
"""The level of each command for a heading."""

CODE = {"example": None, "smallexample": None, "verbatim": None, "lisp": "lisp", "smalllisp": "lisp"}
"""Blocks of code, with the language that their name tells."""

LAID_OUT = frozenset(("display", "smalldisplay", "format", "smallformat"))
"""Blocks of prose whose lines stay as they are."""

UNREAD = frozenset(
    (
        *("ignore", "menu", "detailmenu", "direntry", "documentdescription", "docbook", "html", "latex"),
        *("tex", "xml", "macro", "rmacro", "linemacro", "ifdocbook", "ifhtml", "iflatex", "iftex", "ifxml"),
        *("ifnotinfo", "ifnotplaintext"),
    )
)
"""Blocks that stand in no manual that is read as text."""

TERMS = frozenset(("table", "ftable", "vtable"))
ITEMS = frozenset(("item", "itemx", "headitem"))
NUMBERED = "enumerate"
ROWS = "multitable"

SILENT = frozenset(
    (
        *("c", "comment", "node", "nodedescription", "setfilename", "include", "verbatiminclude", "bye"),
        *("documentencoding", "documentlanguage", "dircategory", "contents", "shortcontents"),
        *("summarycontents", "printindex", "insertcopying", "page", "sp", "vskip", "need", "noindent"),
        *("indent", "finalout", "afourpaper", "afourlatex", "afourwide", "smallbook", "pagesizes"),
        *("setchapternewpage", "paragraphindent", "firstparagraphindent", "exampleindent", "headings"),
        *("evenheading", "oddheading", "everyheading", "evenfooting", "oddfooting", "everyfooting"),
        *("footnotestyle", "frenchspacing", "codequoteundirected", "codequotebacktick", "kbdinputstyle"),
        *("urefbreakstyle", "xrefautomaticsectiontitle", "allowcodebreaks", "deftypefnnewline"),
        *("defindex", "defcodeindex", "synindex", "syncodeindex", "definfoenclose", "alias", "unmacro"),
        *("cindex", "findex", "kindex", "pindex", "tindex", "vindex", "lowersections", "raisesections"),
        *("microtype", "fonttextsize", "novalidate", "refill", "shorttitlepage", "clickstyle", "group"),
        *("ifset", "ifclear", "ifcommanddefined", "ifcommandnotdefined", "float", "listoffloats"),
    )
)
"""Commands whose line no reader sees."""

DEFINED_AS = {
    "defun": "Function",
    "defmac": "Macro",
    "defspec": "Special Form",
    "defvar": "Variable",
    "defopt": "User Option",
    "defmethod": "Method",
    "defivar": "Instance Variable",
    "deftypefun": "Function",
    "deftypevar": "Variable",
    "deftypemethod": "Method",
    "deftypeivar": "Instance Variable",
}
"""What the definition commands define that do not say it themselves, as `deffn` does."""

LITERAL = frozenset(("code", "samp", "kbd", "key", "file", "command", "option", "env", "verb", "url", "uref"))
"""Commands whose text is typed as it stands, so that two dashes are two dashes."""

SYMBOLS = {
    "AA": "Å",
    "AE": "Æ",
    "DH": "Ð",
    "L": "Ł",
    "LaTeX": "LaTeX",
    "O": "Ø",
    "OE": "Œ",
    "TH": "Þ",
    "TeX": "TeX",
    "aa": "å",
    "ae": "æ",
    "ampchar": "&",
    "arrow": "→",
    "atchar": "@",
    "backslashchar": "\\",
    "bullet": "•",
    "comma": ",",
    "copyright": "©",
    "dh": "ð",
    "dots": "…",
    "enddots": "…",
    "equiv": "≡",
    "error": "error→",
    "euro": "€",
    "exclamdown": "¡",
    "expansion": "↦",
    "geq": "≥",
    "guillemetleft": "«",
    "guillemetright": "»",
    "guillemotleft": "«",
    "guillemotright": "»",
    "guilsinglleft": "‹",
    "guilsinglright": "›",
    "hashchar": "#",
    "l": "ł",
    "lbracechar": "{",
    "leq": "≤",
    "minus": "-",
    "o": "ø",
    "oe": "œ",
    "ordf": "ª",
    "ordm": "º",
    "point": "⋆",
    "pounds": "£",
    "print": "⊣",
    "questiondown": "¿",
    "quotedblbase": "„",
    "quotedblleft": "“",
    "quotedblright": "”",
    "quoteleft": "‘",
    "quoteright": "’",
    "quotesinglbase": "‚",
    "rbracechar": "}",
    "registeredsymbol": "®",
    "result": "⇒",
    "ss": "ß",
    "textdegree": "°",
    "th": "þ",
    "tie": " ",
}
"""The characters that a command in braces stands for."""

SIGNS = {
    **{sign: sign for sign in "@{}.!?&\\"},
    **dict.fromkeys(":/-|", ""),
    **dict.fromkeys("* \t\n", " "),
}
"""The characters that a command of one sign stands for."""

ACCENTS = {
    **{sign: sign for sign in "'`^~=\""},
    ",": "c",
    "ringaccent": "r",
    "dotaccent": ".",
    "udotaccent": "d",
    "ubaraccent": "b",
    "ogonek": "k",
    "u": "u",
    "v": "v",
    "H": "H",
}
"""Commands for accents, with the name that LaTeX has for each."""
