assert Lcm(0, 5) == 0
assert Lcm(0, 0) == 0
assert Lcm(-4, 6) == 12
assert Lcm(-4, -6) == 12
