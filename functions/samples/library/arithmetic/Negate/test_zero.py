assert Negate(0) == 0
