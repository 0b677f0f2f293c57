"""What `footnote up` starts, watches and stops on one machine (spec 1.3)."""
