"""Where webhooks may be sent: to public addresses, whatever a name says in between."""

import pytest
from pytest_django import Settings

from functions.errors import Refusal
from functions.webhooks.addresses import PrivateAddress, check_url, is_public, public_addresses

PRIVATE = """
    0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.254 127.0.0.1 127.255.255.254
    169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.2.1 192.88.99.1 192.168.0.1
    198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.255 240.0.0.1
    255.255.255.255
    :: ::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::127.0.0.1 ::10.1.2.3
    ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b::a00:1 64:ff9b:1::1 100::1 2001::1
    2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:2::1 2001:db8::1 2001:10::1
    2002:7f00:1::1 2002:a00:1::1 2002:c0a8:101::1 3fff::1 5f00::1 fc00::1 fd12:3456::1
    fe80::1 fe80::1%eth0 2606:4700::1%eth0 fec0::1 ff02::1 ff0e::1
    localhost 1.2.3 not-an-address
""".split()
PUBLIC = """
    1.1.1.1 8.8.8.8 93.184.216.34 100.63.255.255 100.128.0.1 172.15.0.1 172.32.0.1 192.167.0.1
    2606:4700:4700::1111 2a00:1450:4001::1 ::ffff:8.8.8.8 64:ff9b::808:808 2002:808:808::1
""".split()
REFUSED = {
    "": "invalid_url",
    "example.org/hook": "not_https",
    "http://example.org/hook": "not_https",
    "ftp://example.org/": "not_https",
    "https://": "private_address",
    "https:///hook": "private_address",
    "https://example.org/a b": "invalid_url",
    "https://example.org/\n": "invalid_url",
    "https://exämple.org/": "invalid_url",
    f"https://example.org/{'a' * 500}": "invalid_url",
    "https://[::1": "invalid_url",
    "https://example.org:port/": "invalid_url",
    "https://example.org:99999/": "invalid_url",
    "https://example.org/#part": "invalid_url",
    "https://name@example.org/": "url_with_password",
    "https://name:word@example.org/": "url_with_password",
    "https://:@example.org/": "url_with_password",
    "https://example.org:22/": "reserved_port",
    "https://example.org:80/": "reserved_port",
    "https://localhost/": "private_address",
    "https://LOCALHOST:8443/": "private_address",
    "https://hook.localhost/": "private_address",
    "https://printer.local/": "private_address",
    "https://db.internal:5432/": "private_address",
    "https://router.home.arpa/": "private_address",
    "https://valkey/": "private_address",
    "https://127.0.0.1/": "private_address",
    "https://127.1/": "private_address",
    "https://2130706433/": "private_address",
    "https://0x7f000001/": "private_address",
    "https://0177.0.0.1/": "private_address",
    "https://169.254.169.254/latest/meta-data/": "private_address",
    "https://[::1]/": "private_address",
    "https://[::ffff:10.0.0.1]/": "private_address",
    "https://[fe80::1]/": "private_address",
    "https://exa_mple..org/": "invalid_url",
    "https://example.org./": "invalid_url",
    "https://example.org\\@127.0.0.1/": "url_with_password",
}


@pytest.mark.parametrize("address", PRIVATE)
def test_an_address_that_not_everybody_reaches_is_private(address: str) -> None:
    assert not is_public(address)
    with pytest.raises(PrivateAddress):
        public_addresses(["8.8.8.8", address])


@pytest.mark.parametrize("address", PUBLIC)
def test_an_address_of_the_internet_is_public(address: str) -> None:
    assert is_public(address)
    assert public_addresses([address, address]) == [address]


@pytest.mark.parametrize("url", REFUSED)
def test_an_address_of_a_webhook_is_refused_for_a_reason(url: str) -> None:
    with pytest.raises(Refusal) as refused:
        check_url(url)
    assert (refused.value.code, refused.value.field) == (REFUSED[url], "url")
    assert refused.value.message


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://example.org", "example.org:443"),
        ("https://Example.org:8443/hook?a=b", "example.org:8443"),
        ("https://xn--exmple-cua.org/", "xn--exmple-cua.org:443"),
        ("https://8.8.8.8/hook", "8.8.8.8:443"),
        ("https://[2606:4700:4700::1111]/hook", "2606:4700:4700::1111:443"),
    ],
)
def test_public_addresses_are_taken_by_https(url: str, host: str) -> None:
    assert check_url(url) == host


def test_a_setting_lets_developers_send_to_their_own_machine(settings: Settings) -> None:
    settings.WEBHOOKS_TO_PRIVATE = True
    assert check_url("http://127.0.0.1:8000/hook") == "127.0.0.1:8000"
    assert check_url("http://localhost/") == "localhost:80"
    assert public_addresses(["127.0.0.1"]) == ["127.0.0.1"]
    with pytest.raises(Refusal):
        check_url("ftp://localhost/")
