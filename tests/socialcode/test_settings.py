"""Settings as people write them; what can't be understood keeps everything from starting."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from socialcode.environment import Environment, SettingError
from socialcode.web import listen
from tests.patience import PATIENCE_SECONDS
from tests.support.site import ROOT

env = Environment()
NAME = "SOCIALCODE_BEHIND_PROXY"


@pytest.mark.parametrize("is_on", [True, False])
@pytest.mark.parametrize(
    ("given", "means"),
    [
        *((word, True) for word in ("1", "true", "True", "TRUE", "on", "ON", "yes", " Yes ", "y")),
        *((word, False) for word in ("0", "false", "False", "off", "OFF", "no", "No", "n")),
        ("", None),
        (None, None),
    ],
)
def test_a_switch_is_what_people_write(
    given: str | None, means: bool | None, is_on: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if given is None:
        monkeypatch.delenv(NAME, raising=False)
    else:
        monkeypatch.setenv(NAME, given)
    assert env.bool(NAME, default=is_on) is (is_on if means is None else means)


@pytest.mark.parametrize("given", ["maybe", "2", "-1", "enabled", "yess", "10.0.0.1"])
def test_a_switch_that_is_neither_on_nor_off_is_refused(
    given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NAME, given)
    with pytest.raises(SettingError, match=f"{NAME}='{given}' is not a boolean"):
        env.bool(NAME, default=False)


@pytest.mark.parametrize(("given", "means"), [("12", 12), ("", 7), (" 3 ", 3), (None, 7)])
def test_a_number_is_what_people_write(
    given: str | None, means: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SOCIALCODE_WORKERS", raising=False)
    if given is not None:
        monkeypatch.setenv("SOCIALCODE_WORKERS", given)
    assert env.int("SOCIALCODE_WORKERS", default=7) == means


@pytest.mark.parametrize(
    ("given", "means"),
    [
        ("", ["127.0.0.1/32", "::ffff:127.0.0.1/128", "::1/128"]),
        ("10.1.2.3/8", ["10.0.0.0/8", "::ffff:10.0.0.0/104"]),
        ("2001:db8::/32, 192.0.2.1", ["2001:db8::/32", "192.0.2.1/32", "::ffff:192.0.2.1/128"]),
    ],
)
def test_networks_are_addresses_and_networks_with_commas(
    given: str, means: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOCIALCODE_TRUSTED_PROXIES", given)
    assert env.networks("SOCIALCODE_TRUSTED_PROXIES", default="127.0.0.1,::1") == means


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({NAME: "perhaps"}, "SOCIALCODE_BEHIND_PROXY='perhaps' is not a boolean"),
        ({"SOCIALCODE_SECURE": "always"}, "SOCIALCODE_SECURE='always' is not a boolean"),
        ({"SOCIALCODE_WORKERS": "two"}, "SOCIALCODE_WORKERS='two' is not a whole number"),
        (
            {NAME: "on", "SOCIALCODE_TRUSTED_PROXIES": "proxy.example.org"},
            "'proxy.example.org', which is not an address or a network",
        ),
        ({"SOCIALCODE_TRUSTED_PROXIES": "10.0.0.1"}, "Set SOCIALCODE_BEHIND_PROXY=1, too"),
        ({"SOCIALCODE_CONTENT_LICENSE": "mine"}, "'mine' is not an SPDX license expression"),
        ({"SOCIALCODE_CALLERS_SOCKET": "tcp://calls"}, "'tcp://calls' is not an address"),
    ],
)
@pytest.mark.parametrize("command", ["web", "worker"])
def test_nothing_starts_with_a_setting_that_cannot_be_understood(
    command: str, given: dict[str, str], said: str, tmp_path: Path
) -> None:
    environment = {**os.environ, "SOCIALCODE_VAR": str(tmp_path), **given}
    with listen("127.0.0.1", 0) as listener:
        words = {
            "web": ("-m", "socialcode.web", "--fd", str(listener.fileno())),
            "worker": ("manage.py", "worker"),
        }
        run = ended(*words[command], environment=environment, pass_fds=(listener.fileno(),))
    assert run.returncode == 1
    assert said in run.stderr
    assert "Traceback" not in run.stderr


def test_a_port_in_use_is_said_in_a_sentence() -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        run = ended("-m", "socialcode.web", "--port", str(port), environment=os.environ)
    assert run.returncode == 1
    assert f"Port {port} of 127.0.0.1 cannot be opened: Address already in use" in run.stderr
    assert "Traceback" not in run.stderr


def ended(
    *words: str, environment: Mapping[str, str], pass_fds: Sequence[int] = ()
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env=environment,
        pass_fds=pass_fds,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
