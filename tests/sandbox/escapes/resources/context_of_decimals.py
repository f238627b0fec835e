# A precision that no memory is enough for.
# stopped by: supervisor
# ends: time_limit | memory_limit | error
import decimal

decimal.getcontext().prec = decimal.MAX_PREC
decimal.Decimal(2) ** decimal.Decimal("0.5")
