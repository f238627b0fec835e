"""Services are replaced one after the other, and no reader, writer, follower or run notices."""

import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection

import pytest

from socialcode.accounts.tokens import create_token
from tests.deploy.load import Load
from tests.deploy.services import Services
from tests.patience import PATIENCE_SECONDS
from tests.support import works

pytestmark = pytest.mark.django_db(transaction=True)


def test_replacing_all_processes_fails_no_request_and_loses_no_event_or_run(
    services: Services, https_port: int
) -> None:
    for name in ("callers@1", "web@1", "web@2", "worker@1", "worker@2"):
        services.start(name)
    function = works.define("Add")
    works.publish_test(function, "assert Add(2, 3) == 5\n")
    load = Load(https_port, create_token(user=works.account("ida"))[1], function)
    load.start()
    time.sleep(2)
    services.start("callers@2")
    services.stop("callers@1")
    for name in ("web@1", "web@2", "worker@1", "worker@2"):
        services.restart(name)
    load.end()
    load.assert_nothing_lost()


def test_what_a_proxy_sends_while_its_server_stops_is_answered(services: Services) -> None:
    services.start("web@1")
    used, fresh = (HTTPConnection("127.0.0.1", services.port, PATIENCE_SECONDS) for _ in range(2))
    used.request("GET", "/healthz")
    used.getresponse().read()
    fresh.connect()
    with ThreadPoolExecutor() as aside:
        stopped = aside.submit(services.stop, "web@1")
        time.sleep(1)
        for connection in (used, fresh):
            connection.request("POST", "/accounts/login/", headers={"X-Forwarded-Proto": "https"})
            answer = connection.getresponse()
            assert (answer.status, answer.getheader("connection")) == (403, "close")
        stopped.result()
