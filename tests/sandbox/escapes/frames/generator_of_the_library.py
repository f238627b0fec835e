# A generator of the library has frames too.
# stopped by: guard
# ends: refused
import heapq

reached(getattr(heapq.merge([1], [2]), "gi_frame"))
