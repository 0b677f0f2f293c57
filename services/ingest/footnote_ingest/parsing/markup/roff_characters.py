"""The special characters of roff by their names (groff_char(7)), alone and composed with accents. Pure."""

import re
import unicodedata

_TABLE = r"""
ga `  aq '  ti ~  ha ^  ba |  br │  ul _  ru _  rn ‾  bb ¦  sl /  rs \  ci ○  bu •  dd ‡  dg †
lz ◊  sq □  ps ¶  sc §  lh ☜  rh ☞  at @  sh #  CR ↵  OK ✓  CL ♣  SP ♠  HE ♥  DI ♦  co ©  rg ®  tm ™
em —  en –  hy -  r! ¡  r? ¿  Bq „  bq ‚  lq “  rq ”  oq ‘  cq ’  dq "  Fo «  Fc »  fo ‹  fc ›  lB [
rB ]  lC {  rC }  la ⟨  ra ⟩  bv ⎪  braceex ⎪  bracketlefttp ⎡  bracketleftbt ⎣  bracketleftex ⎢
bracketrighttp ⎤  bracketrightbt ⎦  bracketrightex ⎥  lt ⎧  bracelefttp ⎧  lk ⎨  braceleftmid ⎨
lb ⎩  braceleftbt ⎩  braceleftex ⎪  rt ⎫  bracerighttp ⎫  rk ⎬  bracerightmid ⎬  rb ⎭
bracerightbt ⎭  bracerightex ⎪  parenlefttp ⎛  parenleftbt ⎝  parenleftex ⎜  parenrighttp ⎞
parenrightbt ⎠  parenrightex ⎟  <- ←  -> →  <> ↔  da ↓  ua ↑  va ↕  lA ⇐  rA ⇒  hA ⇔  uA ⇑  dA ⇓
vA ⇕  an ⎯  AN ∧  OR ∨  tno ¬  no ¬  te ∃  fa ∀  st ∋  tf ∴  3d ∴  or |  mi -  pl +  -+ ∓  t+- ±
+- ±  pc ·  tmu ×  mu ×  c* ⊗  c+ ⊕  tdi ÷  di ÷  f/ ⁄  ** *  <= ≤  >= ≥  << ≪  >> ≫  eq =  != ≠
== ≡  ne ≢  ap ~  |= ≃  =~ ≅  ~~ ≈  ~= ≈  pt ∝  es ∅  mo ∈  nm ∉  sb ⊂  nb ⊄  sp ⊃  nc ⊅  ib ⊆  ip ⊇
ca ∩  cu ∪  /_ ∠  pp ⊥  is ∫  integral ∫  sum ∑  product ∏  coproduct ∐  gr ∇  sr √  sqrt √  lc ⌈
rc ⌉  lf ⌊  rf ⌋  if ∞  Ah ℵ  Im ℑ  Re ℜ  wp ℘  pd ∂  -h ℏ  hbar ℏ  12 ½  14 ¼  34 ¾  18 ⅛  38 ⅜
58 ⅝  78 ⅞  S1 ¹  S2 ²  S3 ³  ff ff  fi fi  fl fl  Fi ffi  Fl ffl  AE Æ  ae æ  OE Œ  oe œ  ss ß
IJ Ĳ  ij ĳ  a" ˝  a- ¯  a. ˙  a^ ^  aa ´  ab ˘  ac ¸  ad ¨  ah ˇ  ao ˚  a~ ~  ho ˛  /L Ł  /l ł  /O Ø
/o ø  oA Å  oa å  -D Ð  Sd ð  TP Þ  Tp þ  .i ı  .j ȷ  Do $  ct ¢  Eu €  eu €  Ye ¥  Po £  Cs ¤  Fn ƒ
de °  %0 ‰  fm ′  sd ″  mc µ  Of ª  Om º  *A Α  *B Β  *G Γ  *D Δ  *E Ε  *Z Ζ  *Y Η  *H Θ  *I Ι  *K Κ
*L Λ  *M Μ  *N Ν  *C Ξ  *O Ο  *P Π  *R Ρ  *S Σ  *T Τ  *U Υ  *F Φ  *X Χ  *Q Ψ  *W Ω  *a α  *b β  *g γ
*d δ  *e ε  *z ζ  *y η  *h θ  *i ι  *k κ  *l λ  *m μ  *n ν  *c ξ  *o ο  *p π  *r ρ  *s σ  *t τ  *u υ
*f ϕ  *x χ  *q ψ  *w ω  +h ϑ  +f φ  +p ϖ  +e ϵ  ts ς
"""
_NAMED = _TABLE.split()
_CHARS = dict(zip(_NAMED[::2], _NAMED[1::2], strict=True))
"""Letters with the accents that a name begins with, such as `:a`, are composed and not listed."""

_ACCENTS = {
    "ga": "\u0300",
    "`": "\u0300",
    "aa": "\u0301",
    "'": "\u0301",
    "\u00b4": "\u0301",
    "a^": "\u0302",
    "^": "\u0302",
    "a~": "\u0303",
    "~": "\u0303",
    "a-": "\u0304",
    "-": "\u0304",
    "\u00af": "\u0304",
    "ab": "\u0306",
    "\u02d8": "\u0306",
    "a.": "\u0307",
    ".": "\u0307",
    "\u02d9": "\u0307",
    "ad": "\u0308",
    ":": "\u0308",
    "\u00a8": "\u0308",
    '"': "\u0308",
    "ao": "\u030a",
    "\u02da": "\u030a",
    'a"': "\u030b",
    "\u02dd": "\u030b",
    "ah": "\u030c",
    "\u02c7": "\u030c",
    "ac": "\u0327",
    ",": "\u0327",
    "\u00b8": "\u0327",
    "ho": "\u0328",
    "\u02db": "\u0328",
    "/": "\u0338",
}
"""The combining character of each accent, by its name and by its sign (groff, `composite.tmac`)."""

_DOUBLE_ACUTE = {'"': "\u030b"}
"""In a composed name, this sign is another accent than in what is struck over."""

_UNICODE = re.compile(r"u([0-9A-F]{4,6})((?:_[0-9A-F]{4,6}){0,6})")
_NUMBERED = re.compile(r"char(\d{1,3})")
_LAST_CHARACTER = 0x10FFFF
_MOST_PARTS = 7
_STRUCK_OVER = 2


def character(name: str) -> str:
    """The character of this name, composed if the name has several parts; an unknown one as it is written."""
    return _known(name) or f"\\[{name}]"


def numbered(digits: str) -> str:
    """The character of this number."""
    number = int(digits) if digits.isdecimal() and len(digits) < len(str(_LAST_CHARACTER)) + 1 else -1
    return chr(number) if 0 <= number <= _LAST_CHARACTER else "\ufffd"


def struck_over(signs: str) -> str:
    """What signs that are printed over each other read as: a letter with its accent, or all of them."""
    if len(signs) == _STRUCK_OVER:
        for letter, mark in ((signs[0], signs[1]), (signs[1], signs[0])):
            if letter.isalpha() and mark in _ACCENTS:
                return unicodedata.normalize("NFC", letter + _ACCENTS[mark])
    return signs


def _known(name: str) -> str:
    coded = _UNICODE.fullmatch(name)
    if coded:
        numbers = [int(part, 16) for part in (coded[1] + coded[2]).split("_")]
        valid = all(number <= _LAST_CHARACTER for number in numbers)
        return unicodedata.normalize("NFC", "".join(map(chr, numbers))) if valid else "\ufffd"
    if name in _CHARS:
        return _CHARS[name]
    code = _NUMBERED.fullmatch(name)
    if code:
        return numbered(code[1])
    base, *marks = name.split()[:_MOST_PARTS] or [""]
    if marks:
        letter = base if len(base) == 1 else _known(base)
        accents = [_DOUBLE_ACUTE.get(mark) or _ACCENTS.get(mark) or _combining(mark) for mark in marks]
        return unicodedata.normalize("NFC", letter + "".join(accents)) if letter and all(accents) else ""
    if len(name) == _STRUCK_OVER and name[0] in "'`^~:,v" and name[1].isalpha():
        mark = "\u030c" if name[0] == "v" else _ACCENTS[name[0]]
        composed = unicodedata.normalize("NFC", name[1] + mark)
        return composed if len(composed) == 1 else ""
    return ""


def _combining(name: str) -> str:
    coded = _UNICODE.fullmatch(name)
    number = int(coded[1], 16) if coded and not coded[2] else 0
    return chr(number) if 0 < number <= _LAST_CHARACTER and unicodedata.combining(chr(number)) else ""
