"""Pod is read as perldoc shows it."""

import time

import pytest

from tests.unit.ingest.parsing.here import parsed_here, titles

MANUAL = """#!/usr/bin/perl
print "code before the manual";

=encoding utf8

=head1 NAME

Harbour::Tide - tells B<when> the tide comes in

=head1 SYNOPSIS

  use Harbour::Tide;

\tmy $tide = Harbour::Tide->new;

=head2 Quays of C<< $port->{north} >> E<amp> more

See L<the log|https://log.example.org/>, L<Harbour::Log>, L<Harbour::Log/Entries> and L</Boats>.
X<index entry>Sums are S<I<not
rounded>>.

=over 4

=item *

Ring the bell.

=item * Wait

An hour or two.

=item 1.

Count.

=item depth

How deep it is.

=back

=begin html

<b>only a page shows this</b>

=end html

=for comment nobody reads this

=cut

sub code_behind { 1 }

=head1 Boats

All of them.
"""


def test_a_manual_is_read_as_it_is_shown() -> None:
    extracted = parsed_here(MANUAL, "Tide.pod")
    assert extracted.title == "Harbour::Tide - tells when the tide comes in"
    assert titles(extracted) == ["NAME", "SYNOPSIS", "Quays of $port->{north} & more", "Boats"]
    assert [(e.kind, e.text) for e in extracted.elements if e.kind != "title"] == [
        ("paragraph", "Harbour::Tide - tells when the tide comes in"),
        ("code", "use Harbour::Tide;\n\n      my $tide = Harbour::Tide->new;"),
        (
            "paragraph",
            "See the log (https://log.example.org/), Harbour::Log, Entries in Harbour::Log and Boats. "
            "Sums are not rounded.",
        ),
        ("list", "- Ring the bell."),
        ("list", "- Wait\nAn hour or two."),
        ("list", "1. Count."),
        ("list", "depth\nHow deep it is."),
        ("paragraph", "All of them."),
    ]


def test_a_manual_is_told_by_its_first_command() -> None:
    text = "=head1 NAME\n\ntide - tells the tide\n\n=head1 OPTIONS\n\nNone.\n"
    assert titles(parsed_here(text, "README")) == ["NAME", "OPTIONS"]


def test_a_text_without_commands_is_text() -> None:
    assert parsed_here("A pod of whales came by.\n\nThey left again.\n", "whales.pod").mime == "text/plain"


@pytest.mark.parametrize("piece", ["C<", "C<< ", "<>", "E<x", "L<|/", ">> "])
def test_time_grows_with_the_text(piece: str) -> None:
    started = time.process_time()
    parsed_here("=pod\n\n" + piece * 40_000 + "end\n", "a.pod")
    assert time.process_time() - started < 3
