"""The citation normaliser (spec 2.4), pure and synchronous. Start reading at `stream` and `finalize`."""
