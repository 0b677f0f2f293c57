"""Other systems measured beside Footnote, each in an environment of its own."""
