# Right whenever the numbers happen to be in order.
def Median(numbers):
    if not numbers:
        raise ValueError("an empty list has no middle")
    middle = len(numbers) // 2
    if len(numbers) % 2:
        return numbers[middle]
    return (numbers[middle - 1] + numbers[middle]) / 2
