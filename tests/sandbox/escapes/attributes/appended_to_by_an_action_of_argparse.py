# after: what every function leads to, read as the value that an option adds to
# stopped by: guard
# ends: refused
import argparse


def mine():
    pass


parser = argparse.ArgumentParser()
parser.add_argument("--x", dest="__globals__", action="append")
parser.parse_args(["--x", "1"], namespace=mine)
reached(mine.x)
