"""Which site, and as whom."""

import stat
from pathlib import Path

import keyring
import keyring.backend
import pytest

from socialcode_client import configuration
from socialcode_client.configuration import (
    Configuration,
    Tokens,
    Unusable,
    normal_address,
    site_address,
    token_for,
)

SITE = "https://social.example"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of one's own, without a keyring."""
    monkeypatch.setattr(configuration, "configuration_folder", lambda: tmp_path / "config")
    monkeypatch.setattr(
        Tokens, "__init__", lambda self: object.__setattr__(self, "folder", tmp_path)
    )
    monkeypatch.setattr(
        Configuration, "__init__", lambda self: object.__setattr__(self, "folder", tmp_path)
    )
    for name in ("SOCIALCODE_URL", "SOCIALCODE_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SOCIALCODE_KEYRING", "0")
    return tmp_path


class Ring(keyring.backend.KeyringBackend):
    """A keyring in memory."""

    priority = 5

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self.kept.pop((service, username), None)


def test_a_token_is_kept_in_a_file_that_only_its_owner_can_read(home: Path) -> None:
    place = Tokens().keep(SITE, "sc_one")
    assert place == str(home / "tokens.json")
    assert stat.S_IMODE((home / "tokens.json").stat().st_mode) == 0o600
    Tokens().keep("https://other.example", "sc_two")
    assert Tokens().find(SITE) == "sc_one"
    assert Tokens().forget(SITE)
    assert Tokens().find(SITE) is None
    assert Tokens().find("https://other.example") == "sc_two"
    assert not Tokens().forget(SITE)


def test_a_keyring_is_used_where_there_is_one(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ring = Ring()
    monkeypatch.setenv("SOCIALCODE_KEYRING", "1")
    monkeypatch.setattr(keyring, "get_keyring", lambda: ring)
    monkeypatch.setattr(keyring, "get_password", ring.get_password)
    monkeypatch.setattr(keyring, "set_password", ring.set_password)
    monkeypatch.setattr(keyring, "delete_password", ring.delete_password)
    assert "keyring" in Tokens().keep(SITE, "sc_one")
    assert not (home / "tokens.json").exists()
    assert Tokens().find(SITE) == "sc_one"
    assert Tokens().forget(SITE)
    assert Tokens().find(SITE) is None


def test_the_environment_comes_before_what_was_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    Configuration().keep(SITE)
    Tokens().keep(SITE, "sc_kept")
    assert (site_address(None), token_for(SITE, None)) == (SITE, "sc_kept")
    monkeypatch.setenv("SOCIALCODE_URL", "https://Other.example/")
    monkeypatch.setenv("SOCIALCODE_TOKEN", "sc_other")
    assert site_address(None) == "https://other.example"
    assert token_for("https://other.example", None) == "sc_other"


def test_a_token_goes_to_the_site_that_it_is_meant_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOCIALCODE_URL", SITE)
    monkeypatch.setenv("SOCIALCODE_TOKEN", "sc_secret")
    assert token_for("https://stranger.example", None) is None


def test_comments_of_the_configuration_are_kept(home: Path) -> None:
    (home / "config.toml").write_text('# mine\nurl = "https://former.example"\n')
    Configuration().keep(SITE)
    assert (home / "config.toml").read_text() == f'# mine\nurl = "{SITE}"\n'


def test_a_damaged_file_is_named(home: Path) -> None:
    (home / "config.toml").write_text("url = ")
    with pytest.raises(Unusable, match=r"config\.toml"):
        site_address(None)
    (home / "tokens.json").write_text("{")
    with pytest.raises(Unusable, match="socialcode login"):
        Tokens().find(SITE)


def test_without_any_site_it_says_how_to_name_one() -> None:
    with pytest.raises(Unusable, match="socialcode login"):
        site_address(None)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("social.example", "https://social.example"),
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000"),
        ("https://Host.Example/code/", "https://host.example/code"),
    ],
)
def test_an_address_has_one_form(written: str, meant: str) -> None:
    assert normal_address(written) == meant


@pytest.mark.parametrize("written", ["", "ftp://social.example", "https://a.example/?q=1"])
def test_what_is_no_address_is_refused(written: str) -> None:
    with pytest.raises(Unusable):
        normal_address(written)
