# <<PowerMod>> finds inverses modulo a prime as well.
p = 2_147_483_647
for a in (2, 65_537, 123_456_789):
    assert ModularInverse(a, p) == PowerMod(a, p - 2, p)
