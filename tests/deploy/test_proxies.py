"""Proxies: what they pass on, and that they accept their configuration."""

import re
from pathlib import Path

import uvicorn
from django.conf import settings

from runner.operations.readiness import CHECKS
from socialcode.server.probes import PROBES
from tests.deploy.files import (
    DEPLOY,
    ROOT,
    assignments,
    checked,
    compose,
    program,
    read,
    site_services,
)
from tests.deploy.services import make_certificate, nginx_configuration

SIZES = {"m": 1 << 20, "MiB": 1 << 20}


def test_the_proxy_that_is_trusted_is_the_one_that_is_started() -> None:
    address = compose()["services"]["caddy"]["networks"]["front"]["ipv4_address"]
    for service in site_services().values():
        assert service["environment"]["SOCIALCODE_BEHIND_PROXY"] == "1"
        assert service["environment"]["SOCIALCODE_TRUSTED_PROXIES"] == address
    assert assignments(read("socialcode.env.example"))["SOCIALCODE_BEHIND_PROXY"] == "1"


def test_proxies_pass_what_the_site_relies_on() -> None:
    nginx = re.sub(r" +", " ", read("nginx.conf"))
    for header in (
        "Host $host",
        "X-Forwarded-For $proxy_add_x_forwarded_for",
        "X-Forwarded-Proto $scheme",
        "X-Request-ID $request_id",
        "Upgrade $http_upgrade",
        "Connection $socialcode_connection",
    ):
        assert f"proxy_set_header {header};" in nginx
    assert "header_up X-Request-ID {http.request.uuid}" in read("Caddyfile")


def test_limits_and_times_of_proxies_fit_those_of_the_site() -> None:
    """The site explains what is too large or slow, and proxies give up later."""
    sizes = [
        int(number) * SIZES[size]
        for text, pattern in (
            (read("nginx.conf"), r"client_max_body_size (\d+)(m);"),
            (read("Caddyfile"), r"max_size (\d+)(MiB)"),
        )
        for number, size in re.findall(pattern, text)
    ]
    assert sizes == [2 * settings.DATA_UPLOAD_MAX_MEMORY_SIZE] * 2
    kept = uvicorn.Config("socialcode.asgi:application").timeout_keep_alive
    idle = re.findall(r"keepalive(?:_timeout)? (\d+)s", read("nginx.conf") + read("Caddyfile"))
    assert [int(seconds) < kept for seconds in idle] == [True, True]
    waits = re.findall(r"(?:read|header)_timeout (\d+)s", read("nginx.conf") + read("Caddyfile"))
    page_seconds = int(re.findall(r'STATEMENT_SECONDS", "(\d+)"', asgi())[0])
    assert len(waits) == 2
    assert (
        min(map(int, waits))
        > page_seconds + settings.DATABASES["default"]["OPTIONS"]["connect_timeout"]
    )


def asgi() -> str:
    return (ROOT / "socialcode/asgi.py").read_text(encoding="utf-8")


def test_the_probe_of_the_proxy_is_one_of_the_site() -> None:
    probe, _, query = re.findall(r"health_uri (\S+)", read("Caddyfile"))[0].partition("?")
    assert probe in PROBES
    assert {word.partition("=")[2] for word in query.split("&")} < set(CHECKS)


def test_caddy_accepts_its_configuration(tmp_path: Path) -> None:
    caddy = program("caddy")
    checked(
        *(caddy, "validate", "--adapter", "caddyfile", "--config", str(DEPLOY / "Caddyfile")),
        SITE="social.example.org",
        HOME=str(tmp_path),
    )


def test_nginx_accepts_its_configuration(tmp_path: Path) -> None:
    nginx = program("nginx")
    make_certificate(tmp_path)
    checked(nginx, "-t", "-e", "stderr", "-c", str(nginx_configuration(tmp_path)))
