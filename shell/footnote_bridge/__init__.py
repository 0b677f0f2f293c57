"""The bridge: a loopback server that speaks the part of Qdrant's REST API that we use, over Qdrant Edge."""
