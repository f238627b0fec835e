# after: what a parser's functions know, by a method that it finds under a name that it is given
# stopped by: guard
# ends: refused
import argparse

parser = argparse.ArgumentParser(conflict_handler="resolve")
reached(parser.add_argument.__func__.__globals__)
