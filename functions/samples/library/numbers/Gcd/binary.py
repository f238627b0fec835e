# Takes out common twos with <<Halve>>, then odd ones by <<Subtract>>.
# Uses <<IsOdd>> and <<Double>> as well.
def Gcd(a, b):
    a, b = abs(a), abs(b)
    if a == 0 or b == 0:
        return a or b
    twos = 0
    while not IsOdd(a) and not IsOdd(b):
        a, b = Halve(a), Halve(b)
        twos += 1
    while b:
        while not IsOdd(a):
            a = Halve(a)
        while not IsOdd(b):
            b = Halve(b)
        a, b = min(a, b), abs(Subtract(a, b))
    for _ in range(twos):
        a = Double(a)
    return a
