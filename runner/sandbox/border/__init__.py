"""The border between the processes of a run: plain values, handles and messages.

It is independent of tests, verdicts and the pool. Received data may be hostile until decoded.
"""
