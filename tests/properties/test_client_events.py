"""The Python client reads the same events however the network cuts them."""

import json

from hypothesis import given
from hypothesis import strategies as st

from footnote_client.sse import EventReader, TurnEvent

TEXTS = st.text(max_size=40)


@given(
    texts=st.lists(TEXTS, max_size=8),
    line_end=st.sampled_from([b"\n", b"\r\n"]),
    cuts=st.lists(st.integers(0, 2000), max_size=12),
)
def test_events_do_not_depend_on_the_pieces(texts: list[str], line_end: bytes, cuts: list[int]) -> None:
    stream = b": beat" + line_end * 2
    for seq, text in enumerate(texts):
        body = json.dumps({"seq": seq, "type": "text.delta", "data": {"text": text}}).encode()
        stream += b"id: 1-%d" % seq + line_end + b"data: " + body + line_end * 2
    places = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    reader = EventReader()
    found = [
        event for at, to in zip(places, places[1:], strict=False) for event in reader.feed(stream[at:to])
    ]
    assert found == [
        TurnEvent(f"1-{seq}", seq, "text.delta", {"text": text}) for seq, text in enumerate(texts)
    ]
