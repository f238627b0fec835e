# after: a file, by an argument that says to read it
# stopped by: guard
# ends: refused
import argparse

parser = argparse.ArgumentParser(fromfile_prefix_chars="@")
parser.add_argument("lines", nargs="*")
reached(parser.parse_args(["@/etc/passwd"]).lines)
