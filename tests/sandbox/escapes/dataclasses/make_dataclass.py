# Make_dataclass.
# stopped by: import
# ends: refused
import dataclasses
reached(dataclasses.make_dataclass('A', [('x=print(1)', int)]))
