assert Words("Größe 10, snake_case") == ["Größe", "10", "snake", "case"]
assert Words("well-known") == ["well", "known"]
