"""Pipelines: work that follows a transaction.

- `outbox` collects the events and work of a transaction; `doorbell` wakes workers for it.
- `follow_ups` runs registered callables, all rows of a target together, fairly among owners.
- `fan_out` processes any number of items page by page.
- `fork_join` handles all rows that have arrived for a target at once, in one process at a time.
- `sequences` keeps totals correct when updates arrive late, repeatedly or out of order.
- `materialized_views` combines the last two: totals over many sources, written once for many
  changes.
"""
