for low, high in ((0, 0.37), (-1e-9, 3e-9), (12.3, 12.4), (-5e80, 1e81), (999, 1001)):
    ticks = NiceTicks(low, high)
    assert 2 <= len(ticks) <= 6, (low, high, ticks)
    margin = (high - low) * 1e-6
    assert low - margin <= ticks[0] < ticks[-1] <= high + margin
