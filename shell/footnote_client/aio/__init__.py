"""The client for asyncio. `footnote_client.blocking` is written from here by `make reference`."""
