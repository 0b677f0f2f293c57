"""Evaluations that run the whole system and count (spec 8.1)."""
