"""The messages between supervisor and zygote, as structs."""

from __future__ import annotations

import struct

# To a zygote: the number of the first process to fork, and whether the pool is idle. One process is
# forked for each pipe sent along.
SPAWN = struct.Struct("<Q?")

# Messages of a zygote begin with their kind. SPAWNED: the number of the first process and how many
# were requested, with the handles of those that were forked. ENDED: a record for each process: its
# number, wait status, CPU microseconds and peak resident bytes.
SPAWNED, ENDED = 1, 2
SPAWNED_SOME = struct.Struct("<QB")
ENDING = struct.Struct("<QiQQ")
MOST_AT_ONCE = 32
LONGEST_ANSWER = 1 + MOST_AT_ONCE * ENDING.size

# The exit codes of processes that could not run their program, or not to its end.
EXIT_UNCONFINED = 71
EXIT_NO_PROGRAM = 72
EXIT_BROKEN = 73
# The process had nothing more to do: its part is done, or another process of the run has ended.
EXIT_DONE = 74
