# What was being handled when it was raised: readable, and as shut as the other.
# stopped by: guard
# ends: refused
try:
    try:
        1 / 0
    finally:
        {}["x"]
except KeyError as error:
    reached(getattr(error.__context__.__traceback__, "tb_frame"))
