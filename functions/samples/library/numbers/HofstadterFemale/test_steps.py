numbers = [HofstadterFemale(n) for n in range(80)]
for before, after in zip(numbers, numbers[1:]):
    assert after - before in (0, 1)
