"""The straight lines that a PDF page draws: the rules of its tables, among others."""

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from footnote_ingest.parsing.pdf.lines import turned_back

_MOST_OBJECTS = 5_000
"""This many objects of a page are looked at: a map or a plot has more, and no table."""

_MOST_SEGMENTS = 500
"""A path of more segments is a drawing."""

_EDGES, _WHOLE = 4, 0.98
"""A box has this many edges; one that takes this share of the page's sides is the page."""

_THIN = 1.5
"""A picture is a rule if it is at most so many points thick."""

_WHITE = 255
_STRAIGHT = 1.0
"""A line may lean by this many points."""


_DEEPEST = 3
"""Forms within forms are looked into so far."""

_Matrix = tuple[float, float, float, float, float, float]
_UNMOVED: _Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Rule:
    """A level line at `at` from the bottom, or an upright one at `at` from the left, and where it reaches."""

    level: bool
    at: float
    start: float
    end: float


def read_rules(page: pdfium.PdfPage) -> list[Rule]:
    """The level and upright lines of a page, also the edges of boxes. They are in no order."""
    width, height = page.get_size()
    rules: list[Rule] = []
    for path, matrix in _objects(page):
        kind = raw.FPDFPageObj_GetType(path)
        if kind == raw.FPDF_PAGEOBJ_IMAGE:
            rules += _moved(_rule_of_picture(path), matrix)
        elif kind == raw.FPDF_PAGEOBJ_PATH and _is_drawn(path):
            drawn = _moved(_rules_of(path), matrix)
            sides = [rule.end - rule.start >= _WHOLE * (width if rule.level else height) for rule in drawn]
            whole = len(drawn) == _EDGES and all(sides)
            if len(drawn) == _EDGES and not whole and _is_filled(path):
                # A coloured band from edge to edge of the page is no part of a table, but of a slide's looks.
                drawn = [rule for rule, goes_over in zip(drawn, sides, strict=True) if not goes_over]
            rules += _moved(_rules_of_clip(path), matrix) if whole else drawn
    return rules


def _objects(page: pdfium.PdfPage) -> list[tuple[raw.FPDF_PAGEOBJECT, _Matrix]]:
    """What a page draws, and how that is moved.

    A page that has no text but in forms is put together from others, such as three on a sheet; the forms of
    any other page are pictures.
    """
    count = min(raw.FPDFPage_CountObjects(page.raw), _MOST_OBJECTS)
    found = [(raw.FPDFPage_GetObject(page.raw, at), _UNMOVED) for at in range(count)]
    for _ in range(_DEEPEST):
        kinds = [raw.FPDFPageObj_GetType(one) for one, _ in found]
        if raw.FPDF_PAGEOBJ_TEXT in kinds or raw.FPDF_PAGEOBJ_FORM not in kinds:
            break
        inner: list[tuple[raw.FPDF_PAGEOBJECT, _Matrix]] = []
        for kind, (one, matrix) in zip(kinds, found, strict=True):
            if kind != raw.FPDF_PAGEOBJ_FORM:
                inner.append((one, matrix))
                continue
            own = _joined(_matrix_of(one), matrix)
            count = min(raw.FPDFFormObj_CountObjects(one), _MOST_OBJECTS - len(inner))
            inner += [(raw.FPDFFormObj_GetObject(one, at), own) for at in range(count)]
        found = inner
    return found


def _matrix_of(drawn: raw.FPDF_PAGEOBJECT) -> _Matrix:
    matrix = raw.FS_MATRIX()
    raw.FPDFPageObj_GetMatrix(drawn, matrix)
    return matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f


def _joined(first: _Matrix, second: _Matrix) -> _Matrix:
    """One move behind another."""
    a, b, c, d, e, f = first
    p, q, r, s, t, u = second
    return a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u


def _moved(rules: Sequence[Rule], matrix: _Matrix) -> list[Rule]:
    """The rules as a page shows what a form draws."""
    if matrix == _UNMOVED:
        return list(rules)
    a, b, c, d, e, f = matrix
    found: list[Rule] = []
    for rule in rules:
        ends = [(one, rule.at) if rule.level else (rule.at, one) for one in (rule.start, rule.end)]
        found += _edges([(a * x + c * y + e, b * x + d * y + f) for x, y in ends])
    return found


def turned_rules(rules: Sequence[Rule], angle: int) -> list[Rule]:
    """The rules of a page that is turned so that text of this angle is upright."""
    found: list[Rule] = []
    for rule in rules:
        ends = [(one, rule.at) if rule.level else (rule.at, one) for one in (rule.start, rule.end)]
        (x0, y0), (x1, y1) = (turned_back(x, y, angle) for x, y in ends)
        level = rule.level == (angle % 180 == 0)
        places = (x0, x1) if level else (y0, y1)
        found.append(Rule(level, y0 if level else x0, min(places), max(places)))
    return found


def _rule_of_picture(picture: raw.FPDF_PAGEOBJECT) -> list[Rule]:
    """A picture that is as thin as a rule: some drivers of TeX draw each rule as one."""
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    raw.FPDFPageObj_GetBounds(picture, left, bottom, right, top)
    width, height = right.value - left.value, top.value - bottom.value
    if height <= _THIN < width:
        return [Rule(True, (bottom.value + top.value) / 2, left.value, right.value)]
    if width <= _THIN < height:
        return [Rule(False, (left.value + right.value) / 2, bottom.value, top.value)]
    return []


def _rules_of_clip(path: raw.FPDF_PAGEOBJECT) -> list[Rule]:
    """The edges of the box that a path is cut to: cairo shades a cell by a path as large as the page.

    White is the paper.
    """
    shade = [ctypes.c_uint() for _ in range(4)]
    raw.FPDFPageObj_GetFillColor(path, *shade)
    if all(part.value == _WHITE for part in shade[:3]):
        return []
    clip = raw.FPDFPageObj_GetClipPath(path)
    last = raw.FPDFClipPath_CountPaths(clip) - 1
    if last < 0 or raw.FPDFClipPath_CountPathSegments(clip, last) not in (_EDGES, _EDGES + 1):
        return []
    x, y = ctypes.c_float(), ctypes.c_float()
    corners: list[tuple[float, float]] = []
    for number in range(raw.FPDFClipPath_CountPathSegments(clip, last)):
        raw.FPDFPathSegment_GetPoint(raw.FPDFClipPath_GetPathSegment(clip, last, number), x, y)
        corners.append((x.value, y.value))
    return _edges([*corners, corners[0]])


def _is_drawn(path: raw.FPDF_PAGEOBJECT) -> bool:
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    raw.FPDFPath_GetDrawMode(path, fill, stroke)
    return bool(fill.value or stroke.value)


def _is_filled(path: raw.FPDF_PAGEOBJECT) -> bool:
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    raw.FPDFPath_GetDrawMode(path, fill, stroke)
    return bool(fill.value)


def _rules_of(path: raw.FPDF_PAGEOBJECT) -> list[Rule]:
    count = raw.FPDFPath_CountSegments(path)
    if not 2 <= count <= _MOST_SEGMENTS:
        return []
    matrix = raw.FS_MATRIX()
    raw.FPDFPageObj_GetMatrix(path, matrix)
    x, y = ctypes.c_float(), ctypes.c_float()
    corners: list[tuple[float, float]] = []
    rules: list[Rule] = []
    for number in range(count):
        segment = raw.FPDFPath_GetPathSegment(path, number)
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        corner = (
            matrix.a * x.value + matrix.c * y.value + matrix.e,
            matrix.b * x.value + matrix.d * y.value + matrix.f,
        )
        kind = raw.FPDFPathSegment_GetType(segment)
        if kind == raw.FPDF_SEGMENT_BEZIERTO:
            return []
        if kind == raw.FPDF_SEGMENT_MOVETO:
            rules += _edges(corners)
            corners = []
        corners.append(corner)
        if raw.FPDFPathSegment_GetClose(segment):
            corners.append(corners[0])
    return rules + _edges(corners)


def _edges(corners: list[tuple[float, float]]) -> list[Rule]:
    rules: list[Rule] = []
    for (x0, y0), (x1, y1) in pairwise(corners):
        if abs(y0 - y1) <= _STRAIGHT < abs(x0 - x1):
            rules.append(Rule(True, (y0 + y1) / 2, min(x0, x1), max(x0, x1)))
        elif abs(x0 - x1) <= _STRAIGHT < abs(y0 - y1):
            rules.append(Rule(False, (x0 + x1) / 2, min(y0, y1), max(y0, y1)))
    return rules
