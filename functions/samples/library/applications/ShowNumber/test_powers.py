assert ShowNumber(1e12) == "1 × 10¹²"
assert ShowNumber(-2.5e-9) == "−2.5 × 10⁻⁹"
assert ShowNumber(9.4607304725808e15) == "9.46073 × 10¹⁵"
