# A class statement with an instance among its bases calls the class of that instance. What it
# gives was taken for a class of the user's, and equalled whichever class it liked.
# stopped by: guard
# ends: refused
import json


class Sly:
    def __init__(self, *_):
        pass

    def __getattr__(self, name):
        if name == "__mro__":
            return ()
        raise AttributeError(name)

    def __hash__(self):
        return hash(json.JSONEncoder)

    def __eq__(self, other):
        return True


class Made(Sly()):
    pass


json.JSONEncoder.iterencode = None
reached(json.JSONEncoder)
