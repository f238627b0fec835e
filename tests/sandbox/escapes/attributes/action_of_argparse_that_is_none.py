# after: an attribute of what isn't one's own, which a parser sets of whatever it takes for an action
# stopped by: guard
# ends: refused
import argparse
import textwrap

argparse.ArgumentParser().add_argument("--x", action=lambda **options: textwrap.dedent)
reached(textwrap.dedent.container)
