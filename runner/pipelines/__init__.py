"""Pipelines after a transaction: many changes become few writes, or one change many steps.

- `outbox` collects what must follow a transaction; `doorbell` wakes workers for it.
- `follow_ups` runs registered callables, all rows of a target together, fairly among owners.
- `fan_out` processes any number of items page by page.
- `fork_join` takes together what has arrived for a target, one process at a time.
- `sequences` makes totals independent of the order and repetition of their sources' changes.
- `materialized_views` combines the two: totals over many sources, written once for many changes.
"""
