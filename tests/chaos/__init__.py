"""Faults by chance under load, with a ledger of what was promised and an audit at the end (`make chaos`)."""
