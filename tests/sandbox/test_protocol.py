"""Whatever bytes a child sends: they are decoded sanely, or refused as hostile."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.sandbox import Verdict
from runner.sandbox.supervisor.protocol import (
    FRAME_HEADER,
    FrameReader,
    Hostile,
    Kind,
    clean,
    decode_case,
    decode_line,
    decode_result,
    decode_usage,
)

TOKEN = b"t" * 16
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(st.binary(max_size=400))
def test_any_bytes_are_decoded_or_refused(body: bytes) -> None:
    for decode in (
        decode_usage,
        decode_line,
        decode_case,
        lambda sent: decode_result(TOKEN + sent, TOKEN, {"F"}),
    ):
        with contextlib.suppress(Hostile):
            decode(body)


@given(JSON, JSON, JSON)
def test_any_json_is_decoded_to_a_sane_result_or_refused(
    message: object, line: object, value: object
) -> None:
    sent = {
        "verdict": "passed",
        "message": message,
        "module": "F",
        "line": line,
        "trace": [["F", line, "f", message]],
        "value": value,
    }
    with contextlib.suppress(Hostile):
        result = decode_result(TOKEN + json.dumps(sent).encode(), TOKEN, {"F"})
        assert result.verdict is Verdict.PASSED
        told = json.dumps([result.message, result.trace, result.value], allow_nan=False)
        assert "\\u0000" not in told
        result.message.encode()


@given(st.lists(st.tuples(st.sampled_from([Kind.LINE, Kind.CASE]), st.binary(max_size=50))))
def test_frames_are_found_however_the_stream_is_cut(frames: list[tuple[Kind, bytes]]) -> None:
    stream = b"".join(FRAME_HEADER.pack(kind, len(body)) + body for kind, body in frames)
    reader = FrameReader()
    found = [frame for at in range(0, len(stream), 7) for frame in reader.feed(stream[at : at + 7])]
    assert found == frames
    reader.expect_nothing()


@given(st.text(st.characters(), max_size=60))
def test_cleaned_text_can_be_stored(text: str) -> None:
    cleaned = clean(text)
    cleaned.encode("utf-8")
    assert "\0" not in cleaned


def test_a_result_needs_the_token_and_a_known_module() -> None:
    sent: dict[str, object] = {
        "verdict": "passed",
        "message": "",
        "module": "G",
        "line": None,
        "trace": [],
        "value": None,
    }
    body = json.dumps(sent).encode()
    with pytest.raises(Hostile, match="signed"):
        decode_result(b"u" * 16 + body, TOKEN, {"G"})
    with pytest.raises(Hostile, match="unknown module"):
        decode_result(TOKEN + body, TOKEN, {"F"})
    assert decode_result(TOKEN + body, TOKEN, {"G"}).verdict is Verdict.PASSED
