# The test's own task goes on with another coroutine.
# stopped by: guard
# ends: refused
import asyncio


async def other():
    asyncio.get_running_loop().stop()


async def F():
    asyncio.Task.__init__(asyncio.current_task(), other())
    await asyncio.sleep(0)
    return 1


# --- its test
import asyncio


async def main():
    assert await F() == 2


asyncio.run(main())
