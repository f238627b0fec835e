# Dates are formatted by a language of their own.
# stopped by: nothing to gain
# ends: passed
import datetime

assert format(datetime.date(2020, 1, 2), "%Y {0.__class__}") == "2020 {0.__class__}"
