fruit = ["apple", "banana", "cherry"]
for typed in ("appel", "bannana", "chery"):
    log(f"{typed}: did you mean {ClosestWord(typed, fruit)}?")
assert ClosestWord("appel", fruit) == "apple"
assert ClosestWord("bannana", fruit) == "banana"
