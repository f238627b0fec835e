# The same by what a task inherits.
# stopped by: guard
# ends: refused
import asyncio


async def F():
    super(asyncio.Task, asyncio.current_task()).set_result(1)
    await asyncio.sleep(0)
    return 1


# --- its test
import asyncio


async def main():
    assert await F() == 2


asyncio.run(main())
