assert Lcm(4, 6) == 12
assert Lcm(3, 5) == 15
assert Lcm(7, 7) == 7
assert Lcm(1, 9) == 9
