"""The codec trusts nothing that a client sends."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.sockets import frames
from runner.sockets.frames import Ack, Code, Ping, ProtocolError, Subscribe, Unsubscribe, decode


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (
            '{"type":"subscribe","topic":"function:12","epoch":1,"after":41}',
            Subscribe("function:12", 1, 41),
        ),
        (
            '{"type":"subscribe","topic":"function:12","epoch":1,"after":0,"present":true}',
            Subscribe("function:12", epoch=1, after=0, is_present=True),
        ),
        ('{"type":"unsubscribe","topic":"draft:test-7"}', Unsubscribe("draft:test-7")),
        ('{"type":"ack","topic":"user:3","seq":9007199254740991}', Ack("user:3", 2**53 - 1)),
        ('{"type":"ping","unknown":"fields are ignored"}', Ping()),
    ],
)
def test_well_formed_frames_are_understood(frame: str, message: object) -> None:
    assert decode(frame) == message


@pytest.mark.parametrize(
    "frame",
    [
        None,
        "",
        "nonsense",
        "[]",
        "1",
        "{}",
        '{"type":["subscribe"]}',
        '{"type":"shout"}',
        '{"type":"subscribe","topic":"function:12","epoch":1}',
        '{"type":"subscribe","topic":"function:12","epoch":true,"after":0}',
        '{"type":"subscribe","topic":"function:12","epoch":1,"after":-1}',
        '{"type":"subscribe","topic":"function:12","epoch":1,"after":0,"present":1}',
        '{"type":"subscribe","topic":"function:12","epoch":1,"after":1.0}',
        '{"type":"subscribe","topic":"function:12","epoch":1,"after":NaN}',
        '{"type":"ack","topic":"function:12","seq":9223372036854775808}',
        '{"type":"ack","topic":"function:12","seq":' + "9" * 5000 + "}",
        '{"type":"ack","topic":"no kind","seq":1}',
        '{"type":"ack","topic":"function:12\\n","seq":1}',
        '{"type":"ack","topic":"function:\\ud800","seq":1}',
        '{"type":"ack","topic":"function:\\u0000","seq":1}',
        '{"type":"ack","topic":"function:' + "1" * 61 + '","seq":1}',
        "[" * 60_000,
        '{"a":' * 10_000,
    ],
)
def test_malformed_frames_are_refused_with_a_code(frame: str | None) -> None:
    with pytest.raises(ProtocolError) as refusal:
        decode(frame)
    assert refusal.value.code == Code.MALFORMED
    assert refusal.value.message


def test_oversized_frames_are_refused_before_they_are_read() -> None:
    with pytest.raises(ProtocolError) as refusal:
        decode("[" * 65_537)
    assert refusal.value.code == Code.FRAME_TOO_LARGE


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    )
)
def test_any_json_is_either_a_message_or_refused(value: object) -> None:
    try:
        decode(json.dumps(value))
    except ProtocolError as refusal:
        assert refusal.code in Code  # noqa: PT017 - both outcomes are right


def test_events_encoded_apart_make_one_frame() -> None:
    encoded = [frames.encode({"seq": seq, "payload": "\ud800 ü"}) for seq in (4, 5)]
    frame = json.loads(frames.events("function:12", 2, encoded).encode("utf-8"))
    assert frame == {
        "type": "events",
        "topic": "function:12",
        "epoch": 2,
        "events": [{"seq": 4, "payload": "\ud800 ü"}, {"seq": 5, "payload": "\ud800 ü"}],
    }
