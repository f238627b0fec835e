"""The border between the processes of one run: plain values, handles and messages.

Knows nothing of tests, verdicts or the pool. Whatever arrives is hostile until it was decoded.
"""
