"""What supervisor and zygote say to each other, as structs."""

from __future__ import annotations

import struct

# To a zygote: the number of the first process wanted, and whether the pool is idle. There are to be
# as many processes as pipes come along.
SPAWN = struct.Struct("<Q?")

# Its answers begin with what they tell: SPAWNED with the number of the first, and how many were
# wanted, and the handles of those that there are; or ENDED with a record for each: its number,
# status, CPU microseconds and most resident bytes.
SPAWNED, ENDED = 1, 2
SPAWNED_SOME = struct.Struct("<QB")
ENDING = struct.Struct("<QiQQ")
MOST_AT_ONCE = 32
LONGEST_ANSWER = 1 + MOST_AT_ONCE * ENDING.size

# How a process ends that could not run its program, or did not come to its end.
EXIT_UNCONFINED = 71
EXIT_NO_PROGRAM = 72
EXIT_BROKEN = 73
# Another process of the run has ended, so this one has nothing more to do.
EXIT_DONE = 74
