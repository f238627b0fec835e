smallest = 1
for n in range(1, 21):
    smallest = Lcm(smallest, n)
log(f"1 to 20 divide {smallest}")
assert smallest == 232792560
