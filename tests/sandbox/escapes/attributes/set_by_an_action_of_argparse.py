# after: an attribute of a class of the library, set by an action under a name of one's choosing
# stopped by: guard
# ends: refused
import argparse
import textwrap

parser = argparse.ArgumentParser()
parser.add_argument("--width", dest="fix_sentence_endings", action="store_true")
parser.parse_args(["--width"], namespace=textwrap.TextWrapper)
reached(textwrap.TextWrapper.fix_sentence_endings)
