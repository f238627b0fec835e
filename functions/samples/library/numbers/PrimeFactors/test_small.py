assert PrimeFactors(360) == [2, 2, 2, 3, 3, 5]
assert PrimeFactors(97) == [97]
assert PrimeFactors(49) == [7, 7]
