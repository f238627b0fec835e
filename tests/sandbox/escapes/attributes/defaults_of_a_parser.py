# after: an attribute of a module's class, set as the default of a namespace that isn't one
# stopped by: guard
# ends: refused
import argparse
import json

parser = argparse.ArgumentParser()
parser.set_defaults(x=1)
parser.parse_args([], namespace=json.JSONEncoder)
reached(json.JSONEncoder.x)
