# The other product. Mathematicians named it after somebody else.
def MatrixProduct(a, b):
    return [[x * y for x, y in zip(*rows)] for rows in zip(a, b)]
