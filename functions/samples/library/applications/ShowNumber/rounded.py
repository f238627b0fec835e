from decimal import Decimal

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def ShowNumber(number):
    rounded = float(f"{number:.7g}")
    if rounded == 0:
        return "0"
    if not 1e-6 <= abs(rounded) < 1e12:
        digits, power = f"{rounded:.6e}".split("e")
        digits = digits.rstrip("0").rstrip(".").replace("-", "−")
        return f"{digits} × 10{str(int(power)).translate(_RAISED)}"
    # By way of its shortest text: with a fixed number of digits, noise would show.
    text = f"{Decimal(repr(rounded)):,f}".removesuffix(".0")
    return text.replace(",", "\u202f").replace("-", "−")
