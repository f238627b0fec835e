"""The same program gives the same result, in whichever process of whichever worker."""

from __future__ import annotations

import threading

import pytest

from runner.sandbox import Pool
from runner.sandbox.jail.kernel import keep_addresses
from tests.sandbox.conftest import RunSource, program_loading

# Hashes made of addresses, of text, and chance.
TELLING = """
import random, re, secrets, uuid
class A: pass
print(hash(None), hash(int), hash(len), hash(re.compile), hash((None, 'a')), hash('text'))
print({None, 'b', 1, int, str, len, ..., NotImplemented, ValueError, 'a', (None, None)})
print(random.random(), uuid.uuid4(), secrets.token_hex(), {'x', 'y', 'z'})
F = 1
"""


def test_two_workers_hash_and_order_alike(run_code: RunSource) -> None:
    allowed: list[bool] = []
    # In a thread of its own, as it lasts.
    thread = threading.Thread(target=lambda: allowed.append(keep_addresses()))
    thread.start()
    thread.join()
    if not allowed[0]:
        pytest.skip("addresses can't be kept here")
    outcomes = []
    for _ in range(2):
        with Pool() as pool:
            outcomes += [pool.run(program_loading(TELLING)) for _ in range(3)]
    told = {tuple(line.text for line in outcome.log) for outcome in outcomes}
    assert len(told) == 1, told
