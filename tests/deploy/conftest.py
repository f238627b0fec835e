"""A whole site as deploy/ runs it."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from socialcode.embedded.children import start_child
from socialcode.web import listen
from tests.deploy.files import program
from tests.deploy.services import Services, make_certificate, nginx_configuration
from tests.patience import PATIENCE_SECONDS
from tests.support.site import url_of_test_database


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    """End what a test starts."""
    environment = {
        **os.environ,
        "DATABASE_URL": url_of_test_database(),
        "SECRET_KEY": settings.SECRET_KEY,
        "SOCIALCODE_DATABASE_POOL": "1",
        "SOCIALCODE_DEVELOPMENT": "0",
        "SOCIALCODE_COLLECTED_STATIC": "0",
        "SOCIALCODE_BEHIND_PROXY": "1",
        "SOCIALCODE_RATE_LIMITS": "0",
        "SOCIALCODE_SECURE": "1",
        "SOCIALCODE_CALLERS_SOCKET": str(tmp_path / "calls"),
        "SOCIALCODE_ANALYSIS_SOCKET": str(tmp_path / "analyses"),
    }
    found = Services(tmp_path, environment)
    yield found
    print(found.logs())  # pytest shows it beside a failure
    found.close()


@pytest.fixture
def https_port(
    tmp_path: Path, services: Services, monkeypatch: pytest.MonkeyPatch
) -> Iterator[int]:
    """Start nginx, and have clients trust its certificate."""
    nginx = program("nginx")
    monkeypatch.setenv("SSL_CERT_FILE", str(make_certificate(tmp_path)))
    with listen("127.0.0.1", 0) as free:
        port = int(free.getsockname()[1])
    main = nginx_configuration(tmp_path, port=port, upstream=services.port)
    proxy = start_child([nginx, "-e", "stderr", "-c", main], log=tmp_path / "nginx.log")
    yield port
    proxy.terminate()
    proxy.wait(PATIENCE_SECONDS)
