"""The commands, one module for each: what it takes, and what it prints. Their docstrings are their help."""
