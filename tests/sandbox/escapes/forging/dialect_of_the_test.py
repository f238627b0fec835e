# Dialects of CSV are kept by name for all; a test that minds names its own delimiter.
# stopped by: nothing to gain
# ends: passed
import csv


def F():
    csv.register_dialect("excel", delimiter=";")
    return "a;b"


# --- its test
import csv

assert list(csv.reader([F()], delimiter=",")) == [["a;b"]]
