# Keep what is known: answer, modulo all moduli so far; each new condition
# is met by adding the right multiple, which <<ModularInverse>> finds.
# Uses <<Add>>, <<Multiply>>, <<Subtract>> and <<Remainder>>.
def ChineseRemainder(remainders, moduli):
    answer, step = 0, 1
    for wanted, modulus in zip(remainders, moduli, strict=True):
        gap = Subtract(wanted, answer)
        times = Remainder(
            Multiply(gap, ModularInverse(step, modulus)), modulus
        )
        answer = Add(answer, Multiply(step, times))
        step = Multiply(step, modulus)
    return answer
