# <<Multiply>> upwards.
def Factorial(n):
    if n < 0:
        raise ValueError("negative numbers have no factorial")
    product = 1
    for factor in range(2, n + 1):
        product = Multiply(product, factor)
    return product
