"""The dining philosophers, an example of durable semaphores.

python -m examples.philosophers --seats 5 --rounds 5 --order ordered
python -m examples.philosophers --order naive
"""
