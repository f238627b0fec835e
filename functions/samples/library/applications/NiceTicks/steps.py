import math


def NiceTicks(low, high, count=5):
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError("The range of an axis has a beginning and a later end.")
    power = 10.0 ** math.floor(math.log10((high - low) / count))
    step = next(size * power for size in (1, 2, 5, 10) if (high - low) / (size * power) <= count)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    # As text, so that three steps of 0.1 are 0.3.
    return [float(f"{number * step:.12g}") for number in range(first, last + 1)]
