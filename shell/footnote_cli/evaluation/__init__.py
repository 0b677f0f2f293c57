"""What `footnote eval` measures: a running system with scripted models behind it (spec 8.1)."""
