"""A copy of everything that cannot be made anew, and the way back."""
