# An exception whose text takes for ever.
# stopped by: supervisor
# ends: time_limit
class E(Exception):
    def __str__(self):
        while True:
            pass


raise E
