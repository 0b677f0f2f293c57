"""The command line of Footnote (spec 1.5)."""
