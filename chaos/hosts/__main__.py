"""`make chaos-hosts`: kills, cuts off and replaces whole hosts under load, and checks invariants.

python -m chaos.hosts --seconds 420 --seed 1
"""

import argparse
import importlib
import logging
import os
import random
import sys

import django

from chaos.hosts.namespaces import INSIDE, enter, obstacle
from chaos.hosts.site import HostedSite


def main() -> int:
    """Play until the time is over; return 0 if nothing was violated or nothing could be done."""
    parser = argparse.ArgumentParser(description="Inject faults into hosts of the site.")
    parser.add_argument("--seconds", type=float, default=420)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--only", default="", help="a part of the names of the faults to inject")
    parser.add_argument("--short", action="store_true", help="one round with each fault")
    given = parser.parse_args()
    if not os.environ.get(INSIDE):
        if reason := obstacle():
            print(f"Skipped: {reason}.")
            return 0
        enter("chaos.hosts", *sys.argv[1:])
    print(f"seed {given.seed}", flush=True)
    with HostedSite(given.seed) as site:
        os.environ |= site.environment()
        django.setup()
        logging.disable(logging.WARNING)
        # Imported here, as it needs Django set up with the site's environment.
        rounds = importlib.import_module("chaos.hosts.rounds")
        if given.short:
            is_sound = rounds.play_short(site)
        else:
            is_sound = rounds.play(site, given.seconds, given.only)
    return int(not is_sound)


if __name__ == "__main__":
    sys.exit(main())
