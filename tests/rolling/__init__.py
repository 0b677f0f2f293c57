"""Every role replaced under load, by the same code or by that of another release (`make rolling`)."""
