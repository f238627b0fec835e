# The same of a group that isn't of a class of one's own.
# stopped by: guard
# ends: refused
group = ExceptionGroup("several", [ValueError()])
for change in (
    lambda: setattr(group, "split", lambda kind: (1, 2)),
    lambda: vars(group).update(split=lambda kind: (1, 2)),
    lambda: group.__dict__.update(split=lambda kind: (1, 2)),
):
    try:
        change()
    except TypeError:
        continue
    reached(change)
group.split = lambda kind: (1, 2)
