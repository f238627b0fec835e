def Median(numbers):
    return sorted(numbers)[len(numbers) // 2]
