"""`make chaos`: kills, disconnects and pauses real processes under load, and checks invariants.

python -m chaos --seconds 600 --seed 1
"""

import argparse
import importlib
import logging
import os
import random
import sys

import django

from chaos.site import Site


def main() -> int:
    """Play until the time is over; return 0 if no invariant was violated."""
    parser = argparse.ArgumentParser(description="Inject faults into the site's processes.")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--only", default="", help="faults whose names contain this")
    parser.add_argument("--short", choices=("batches", "streams"), help="one round of these faults")
    given = parser.parse_args()
    print(f"seed {given.seed}", flush=True)
    with Site(given.seed) as site:
        os.environ |= site.environment()
        django.setup()
        logging.disable(logging.WARNING)
        # Imported here, as it needs Django set up with the site's environment.
        game = importlib.import_module("chaos.game")
        if given.short:
            of_streams = given.short == "streams"
            return int(not (game.play_short_of_streams if of_streams else game.play_short)(site))
        return int(not game.play(site, given.seconds, given.only))


if __name__ == "__main__":
    sys.exit(main())
