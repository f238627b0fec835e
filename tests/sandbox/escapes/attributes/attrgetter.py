# Attrgetter.
# stopped by: import
# ends: refused
from operator import attrgetter
reached(attrgetter('real.__self__')(1))
