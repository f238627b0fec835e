# after: what is private to a parser, read by the guard that lets argparse read it
# stopped by: guard
# ends: refused
import argparse

reached(getattr(argparse.ArgumentParser("x"), "_registries"))
