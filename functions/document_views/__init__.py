"""Document views: named queries over JSON records, kept up to date as the records change.

- `scalars`, `conditions`, `definition`, `contributions` and `evaluation` are pure: what a view
  says, what a record contributes to it, and what it must be.
- `changes` stores what writers change, in their transactions and without making them wait.
- `updates` applies stored changes in batches; `build` fills a view from its sources.
- `sources` are registered by the packages that have records.
"""
