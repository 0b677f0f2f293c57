"""Source code is read by its syntax: classes and functions are headings, and the code stays as it is."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.source_code.by_syntax import MOST_BYTES
from footnote_ingest.parsing.source_code.grammars import GRAMMARS
from tests.properties.effort import examples
from tests.unit.ingest.parsing.here import parsed_here

MOST_ODD_S = 12.0
"""Of a processor; a reader gives up after five."""

TIDE_PY = '''"""About tides."""

import math

# How it swings.
@dataclass
class Tide(Sea):
    """The tide at a place, as the tables of the port have it, with the height above the mean of the year."""

    phase = 1

    @property
    def height(self):
        def inner():
            pass

        return math.sin(self.phase)

    unit = "m"


if __name__ == "__main__":
    main()
'''
TIDE_TS = """import x from "y";

/** The tide at a place. */
export class Tide extends Sea {
  /** How high it is. */
  height(at: Date): number { return 1; }
}

export const wave = async (a: string) => { return a; };
export interface Moon { phase: string }
namespace Port { export function open() {} }
"""
TIDE_GO = """package main

// Start starts.
func (s *Server[T]) Start(port int) error {
\treturn nil
}

// Server serves.
type Server struct {
\tport int
}
"""
TIDE_RS = """use fmt;

/// A point.
#[derive(Debug)]
pub struct Point { x: i32 }

impl fmt::Display for Point {
    /// Shows it.
    fn fmt(&self) -> R { Ok(()) }
}
"""
TIDE_C = """#include <sea.h>
/* Adds. */
static int *add(int a, int b)
{
  return 0;
}
typedef struct { int a; } Pair;
#ifdef WAVES
void wave(void) {}
#endif
"""
TIDE_CPP = """#pragma once
namespace sea {
class Tide {
 public:
  int height() const { return 1; }
};
}
int sea::Tide::depth(int x) const { return 1; }
"""
TIDE_JAVA = """package p;

/** The tide. */
@Port
public class Tide {
  private int x;

  /** How high. */
  @Override
  public int height() { return 1; }
}
"""
TIDE_CS = """using System;
namespace Sea {
  /// <summary>The tide.</summary>
  public class Tide {
    public int Height { get; set; }
    public void Go() { }
  }
}
"""
TIDE_RB = """module Sea
  # The tide.
  class Tide
    attr_reader :x

    def height
      1
    end
  end
end
"""
TIDE_PHP = """<?php
namespace Sea;
/** The tide. */
class Tide {
  public $x;
  public function height() { return 1; }
}
"""
TIDE_SH = """#!/bin/bash
set -e
# Greets.
greet() {
  echo hi
}
greet
"""


def paths(extracted: Extracted) -> list[tuple[str, ...]]:
    return [element.heading_path for element in extracted.elements]


def under(extracted: Extracted, *path: str) -> str:
    return next(element.text for element in extracted.elements if element.heading_path == path)


class TestHeadings:
    def test_are_the_names_of_classes_and_functions(self) -> None:
        extracted = parsed_here(TIDE_PY, "tide.py")
        assert extracted.text == TIDE_PY
        assert paths(extracted) == [(), ("Tide",), ("Tide", "height"), ("Tide",), ()]
        assert {(element.kind, element.language) for element in extracted.elements} == {("code", "python")}
        assert under(extracted, "Tide").startswith("# How it swings.\n@dataclass\nclass Tide(Sea):")
        assert under(extracted, "Tide", "height").startswith(
            "    @property\n    def height(self):\n        def inner"
        )

    @pytest.mark.parametrize(
        ("name", "text", "path", "begins"),
        [
            (
                "a.ts",
                TIDE_TS,
                ("Tide", "height"),
                "/** The tide at a place. */\nexport class Tide extends Sea {",
            ),
            ("a.ts", TIDE_TS, ("wave",), "export const wave = async"),
            ("a.tsx", TIDE_TS, ("Moon",), "export interface Moon"),
            ("a.ts", TIDE_TS, ("Port", "open"), "namespace Port { export function open() {} }"),
            ("a.jsx", "const App = () => <b>hi</b>;\n", ("App",), "const App"),
            ("a.js", "Tide.prototype.go = function () {};\n", ("Tide.prototype.go",), "Tide."),
            ("a.go", TIDE_GO, ("Server", "Start"), "// Start starts.\nfunc (s"),
            ("a.go", TIDE_GO, ("Server",), "// Server serves.\ntype Server struct"),
            ("a.rs", TIDE_RS, ("Point",), "/// A point.\n#[derive(Debug)]\npub struct"),
            (
                "a.rs",
                TIDE_RS,
                ("fmt::Display for Point", "fmt"),
                "impl fmt::Display for Point {\n    /// Shows it.",
            ),
            ("a.c", TIDE_C, ("add",), "/* Adds. */\nstatic int *add"),
            ("a.c", TIDE_C, ("Pair",), "typedef struct"),
            ("a.c", TIDE_C, ("wave",), "#ifdef WAVES\nvoid wave"),
            (
                "a.h",
                TIDE_CPP,
                ("sea", "Tide", "height"),
                "namespace sea {\nclass Tide {\n public:\n  int height()",
            ),
            ("a.cpp", TIDE_CPP, ("sea", "Tide", "depth"), "int sea::Tide::depth"),
            (
                "a.java",
                TIDE_JAVA,
                ("Tide",),
                "/** The tide. */\n@Port\npublic class Tide {\n  private int x;",
            ),
            ("a.java", TIDE_JAVA, ("Tide", "height"), "  /** How high. */\n  @Override"),
            ("a.cs", TIDE_CS, ("Sea", "Tide", "Go"), "    public void Go"),
            ("a.rb", TIDE_RB, ("Sea", "Tide"), "module Sea\n  # The tide.\n  class Tide\n    attr_reader"),
            ("a.rb", TIDE_RB, ("Sea", "Tide", "height"), "    def height"),
            ("a.php", TIDE_PHP, ("Tide", "height"), "  public function height"),
            ("a.sh", TIDE_SH, ("greet",), "# Greets.\ngreet() {"),
        ],
    )
    def test_of_a_language(self, name: str, text: str, path: tuple[str, ...], begins: str) -> None:
        extracted = parsed_here(text, name)
        assert (extracted.text, extracted.warnings) == (text, ())
        assert under(extracted, *path).startswith(begins)

    def test_characters_of_many_bytes_move_nothing(self) -> None:
        text = "# größer ☃ 😀\nx = '😀'\n\ndef höhe():\n    return '☃'\n\ndef wave():\n    pass\n"
        assert under(parsed_here(text, "a.py"), "höhe") == "def höhe():\n    return '☃'"


class TestFallback:
    @pytest.mark.parametrize(
        ("name", "language"),
        [
            ("tide.adb", "ada"),
            ("tide.mli", "ocaml"),
            ("tide.pas", "pascal"),
            ("tide.vala", "vala"),
            ("tide.scm", "scheme"),
            ("tide.y", "yacc"),
            ("tide.l", "lex"),
            ("tide.d", "d"),
            ("t.vhd", "vhdl"),
        ],
    )
    def test_of_less_common_languages_are_code(self, name: str, language: str) -> None:
        only = parsed_here("-- The tide is high.\n\nprocedure Tide is\n", name).elements[0]
        assert (only.kind, only.language) == ("code", language)

    def test_a_language_without_a_grammar_is_named(self) -> None:
        extracted = parsed_here("fun main() {}\n", "a.kt")
        assert extracted.warnings == ("There is no grammar for kotlin, so the code has no headings.",)

    def test_settings_are_no_programs(self) -> None:
        assert parsed_here("[a]\nb = 1\n", "a.ini").warnings == ()

    def test_a_very_long_file_is_one_piece(self) -> None:
        code = "def f(): pass\n"
        extracted = parsed_here(code * (MOST_BYTES // len(code) + 1), "a.py")
        assert paths(extracted) == [()]
        assert extracted.warnings


class TestBadCode:
    @pytest.mark.parametrize("name", ["a.py", "a.ts", "a.c"])
    @pytest.mark.parametrize(
        "text",
        [
            "(" * 20_000,
            "class A {" * 5_000,
            "#if 1\n" * 3_000,
            "\n".join(" " * depth + "class A:" for depth in range(200)),
            "x" * 100_000,
            "// comment\n" * 5_000,
            "fn f( {{{ ]] class def",
        ],
    )
    def test_is_kept(self, name: str, text: str) -> None:
        extracted = parsed_here(text, name)
        assert extracted.text == text
        assert all(len(path) < 60 for path in paths(extracted))

    @settings(max_examples=examples(150), deadline=None)
    @given(
        st.sampled_from(sorted(GRAMMARS)),
        st.lists(st.sampled_from([TIDE_PY, TIDE_CPP, TIDE_TS, "é", "{", ")"])),
        st.data(),
    )
    def test_pieces_of_code_are_kept(self, language: str, pieces: list[str], data: st.DataObject) -> None:
        text = "x" + "".join(piece[data.draw(st.integers(0, len(piece) - 1)) :] for piece in pieces)
        name = {"python": "py", "csharp": "cs", "rust": "rs", "ruby": "rb", "shell": "sh"}.get(
            language, language
        )
        extracted = parsed_here(text, f"a.{name}")
        shown = "".join("".join(element.text.split()) for element in extracted.elements)
        assert shown == "".join(text.split())


@pytest.mark.parametrize("odd", ["}^^^^vab = ", "/**\n {\n} "])
def test_code_that_no_grammar_makes_sense_of_is_one_piece_in_time(odd: str) -> None:
    """40 kB of it took ten seconds, and twice as much four times as long."""
    started = time.process_time()
    read = parsed_here(odd * 8_000, "odd.js")
    assert time.process_time() - started < MOST_ODD_S
    assert [(element.kind, element.heading_path) for element in read.elements] == [("code", ())]
    assert read.warnings == ("The code takes too long to be read by its syntax, so it has no headings.",)
    # The next file begins anew.
    tide = parsed_here("function tide() {}\n", "tide.js")
    assert [element.heading_path for element in tide.elements] == [("tide",)]


TIDE_EL = """;;; tide.el --- Tides

(defvar tide-mean 3
  "The mean.")

;; How high it is.
(defun tide-height (at)
  "Height AT a time."
  (+ at 1))

(cl-defun tide-low (&key at) at)
(provide 'tide)
"""
TIDE_PM = """package Tide;
use strict;

# How high it is.
sub height {
my ($at) = @_;
    return $at;
}

sub low { return 1 }
our $MEAN = 3;
"""
TIDE_R = """mean <- 3

#' How high it is.
height <- function(at,
                   mean = 3)
{
  at + mean
}
low = function(at) at
print(height(1))
"""
TIDE_TCL = "set mean 3\nproc height {at} {\n    expr $at\n}\nputs 1\n"
TIDE_LUA = "local mean = 3\nfunction Tide:height(at)\n  return at\nend\n-- One.\nlocal function low() end\n"
TIDE_SCM = "(define mean 3)\n(define (height at)\n  (+ at mean))\n(display 1)\n"


@pytest.mark.parametrize(
    ("name", "code", "expected"),
    [
        (
            "tide.el",
            TIDE_EL,
            {"(defvar": (), "How high": ("tide-height",), "&key": ("tide-low",), "provide": ()},
        ),
        ("Tide.pm", TIDE_PM, {"use strict": (), "How high": ("height",), "return 1": ("low",), "$MEAN": ()}),
        (
            "tide.R",
            TIDE_R,
            {"How high": ("height",), "at + mean": ("height",), "low =": ("low",), "print": ()},
        ),
        ("tide.tcl", TIDE_TCL, {"set mean": (), "expr": ("height",), "puts": ()}),
        ("tide.lua", TIDE_LUA, {"mean": (), "return at": ("Tide:height",), "One": ("low",)}),
        ("tide.scm", TIDE_SCM, {"(+ at": ("height",), "display": ()}),
    ],
)
def test_lines_at_the_edge_name_functions_where_no_grammar_is(
    name: str, code: str, expected: dict[str, tuple[str, ...]]
) -> None:
    read = parsed_here(code, name)
    assert read.text == code
    found = {
        words: next(element.heading_path for element in read.elements if words in element.text)
        for words in expected
    }
    assert found == expected
    assert read.warnings == ()
