# An encoder's own initializer, set loose on the class: how JSON is made, for everybody.
# stopped by: guard
# ends: refused
import json

json.JSONEncoder.__init__(json.JSONEncoder, default=lambda self, value: "forged")
reached(json.dumps(object()))
