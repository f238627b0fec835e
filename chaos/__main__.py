"""`make chaos`: kills, cuts off and pauses real processes under load, and checks what is left.

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
    """Play until the time is over; the exit code says whether all was as it must be."""
    parser = argparse.ArgumentParser(description="Torment the site's processes.")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--only", default="", help="faults whose names contain this")
    parser.add_argument("--short", choices=("batches", "streams"), help="one round of these")
    given = parser.parse_args()
    print(f"seed {given.seed}", flush=True)
    with Site(given.seed) as site:
        os.environ |= site.environment()
        django.setup()
        logging.disable(logging.WARNING)
        # Not an import above: it needs Django set up with the environment of the site.
        game = importlib.import_module("chaos.game")
        if given.short:
            of_streams = given.short == "streams"
            return int(not (game.play_short_of_streams if of_streams else game.play_short)(site))
        return int(not game.play(site, given.seconds, given.only))


if __name__ == "__main__":
    sys.exit(main())
