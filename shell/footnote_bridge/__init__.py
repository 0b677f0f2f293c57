"""The development vector server: the part of Qdrant's REST API that Footnote uses, over Qdrant Edge, on loopback."""
