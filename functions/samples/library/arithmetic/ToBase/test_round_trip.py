for base in range(2, 37):
    text = ToBase(-123456789, base)
    log(f"base {base}: {text}")
    assert int(text, base) == -123456789
