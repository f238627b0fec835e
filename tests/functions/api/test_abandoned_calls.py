"""A call over real HTTP whose client goes away."""

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
def test_a_client_that_goes_away_ends_its_call_and_stopped_callers_end_well(
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
    url = f"{site.url}/api/v1/functions/Sleep/call/"

    def call(seconds: float) -> Any:
        body = json.dumps({"args": [seconds]}).encode()
        request = urllib.request.Request(url, body, headers)
        return json.load(urllib.request.urlopen(request, timeout=PATIENCE_SECONDS))

    assert call(0)["result"] == 0
    leaving = [http.client.HTTPConnection("127.0.0.1", site.port) for _ in range(3)]
    for each in leaving:
        each.request("POST", "/api/v1/functions/Sleep/call/", '{"args": [4.5]}', headers)
    time.sleep(0.5)
    for each in leaving:
        each.close()
    # There is one place: were they run to their ends, this would wait for its turn in vain.
    assert call(0.1)["result"] == 0.1
    assert site.callers is not None
    site.callers.send_signal(signal.SIGTERM)
    assert site.callers.wait(PATIENCE_SECONDS) == 0
