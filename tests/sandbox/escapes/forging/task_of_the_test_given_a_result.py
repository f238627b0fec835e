# The test's own task gets its result from the implementation.
# stopped by: guard
# ends: refused
import asyncio


async def F():
    asyncio.Future.set_result(asyncio.current_task(), 1)
    await asyncio.sleep(0)
    return 1


# --- its test
import asyncio


async def main():
    assert await F() == 2


asyncio.run(main())
