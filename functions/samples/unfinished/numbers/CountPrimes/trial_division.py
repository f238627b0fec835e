def CountPrimes(limit):
    found = 0
    for number in range(2, limit):
        if number == 2 or (number % 2 and all(number % odd for odd in range(3, number, 2))):
            found += 1
    return found
