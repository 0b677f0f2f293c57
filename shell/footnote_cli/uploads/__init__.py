"""What `footnote ingest` does: find files, upload them, and follow their documents to the end."""
