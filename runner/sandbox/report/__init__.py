"""Results of runs: messages, differences of values, traces. Runs in the judge's process."""
