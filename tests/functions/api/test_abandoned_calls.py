"""A call, and a check, over real HTTP whose client goes away."""

import http.client
import json
import signal
import time
import urllib.request
from typing import Any

import pytest

from socialcode.accounts.tokens import create_token
from tests.patience import PATIENCE_SECONDS
from tests.support import builders as make
from tests.support.callers import implemented
from tests.support.site import Site


@pytest.mark.usefixtures("transactional_db")
def test_a_client_that_goes_away_ends_what_it_asked_for_and_stopped_callers_end_well(
    site_processes: Site,
) -> None:
    site = site_processes
    site.complete(workers=0)
    site.start_callers()
    implemented("Sleep", "import time\ndef Sleep(n):\n    time.sleep(n)\n    return n\n")
    headers = {
        "Authorization": f"Bearer {create_token(user=make.user('mira'))[1]}",
        "Content-Type": "application/json",
    }
    path = "/api/v1/functions/Sleep"

    def ask(what: str, body: Any) -> Any:
        url = f"{site.url}{path}/{what}/"
        request = urllib.request.Request(url, json.dumps(body).encode(), headers)
        return json.load(urllib.request.urlopen(request, timeout=PATIENCE_SECONDS))

    def leave(what: str, body: Any) -> None:
        leaving = [http.client.HTTPConnection("127.0.0.1", site.port) for _ in range(3)]
        for each in leaving:
            each.request("POST", f"{path}/{what}/", json.dumps(body), headers)
        time.sleep(0.5)
        for each in leaving:
            each.close()

    assert ask("call", {"args": [0]})["result"] == 0
    leave("call", {"args": [4.5]})
    # There is one place: were they run to their ends, this would wait for its turn in vain.
    assert ask("call", {"args": [0.1]})["result"] == 0.1
    leave("check", {"test": "import time\ntime.sleep(9)\nassert Sleep(0) == 0\n"})
    (cell,) = ask("check", {"test": "assert Sleep(0.1) == 0.1\n"})["cells"]
    assert cell["verdict"] == "passed"
    assert site.callers is not None
    site.callers.send_signal(signal.SIGTERM)
    assert site.callers.wait(PATIENCE_SECONDS) == 0
