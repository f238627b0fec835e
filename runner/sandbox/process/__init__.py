"""The code of a run's processes: zygote, judge, subject and aide."""
