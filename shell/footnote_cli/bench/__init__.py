"""What `footnote bench` measures: a run of its own, through HTTP (spec 8.2). One module for each subject."""
