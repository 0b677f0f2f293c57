"""The console: the page on which people ask, and check an answer with one click (docs/console.md)."""
