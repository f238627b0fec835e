assert ShowNumber(1000) == "1\u202f000"
assert ShowNumber(1234567.89) == "1\u202f234\u202f568"
assert ShowNumber(149597870700) == "149\u202f597\u202f900\u202f000"
