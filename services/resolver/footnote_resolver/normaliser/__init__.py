"""The citation normaliser (spec 2.4): pure, synchronous, standard library only. Start at `feed` and `finalize`."""
