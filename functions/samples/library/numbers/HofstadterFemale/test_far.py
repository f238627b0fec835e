assert HofstadterFemale(120) == 74
assert HofstadterFemale(143) == 89
