# A pattern that tries for ever.
# stopped by: supervisor
# ends: time_limit
import re

re.match("(a*)*b", "a" * 60)
