"""The client without asyncio, written from `footnote_client.aio` by `make reference`."""
