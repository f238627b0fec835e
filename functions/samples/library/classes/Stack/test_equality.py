assert Stack([1, 2]) == Stack([1, 2])
assert Stack([1, 2]) != Stack([2, 1])
assert Stack([1, 2]) != Stack([1])
assert Stack() == Stack()

grown = Stack([1])
grown.push(2)
assert grown == Stack([1, 2])
