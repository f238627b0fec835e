"""Ways to let much become little: many changes, and few writes of what they come to.

- `sequences`: a source's changes are numbered, so that what a view makes of them is right however
  often, late or disordered they come.
- `joins`: all that has arrived for a target is taken together, a little later, by one at a time.
- `views`: the two together, for a total over many sources that is written once for many changes.

Beside them stand `runner.followups`, the join that workers do, which may take its time and fail;
`runner.joining`, the one that numbers a topic's events; and `runner.fan_out`, which makes much of
little.
"""
