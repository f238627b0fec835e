# The test's coroutine goes on within the implementation, which catches what comes of it.
# stopped by: guard
# ends: refused
import asyncio


async def F():
    test = asyncio.current_task()
    coroutine = test.get_coro()

    def drive():
        try:
            coroutine.send(None)
        except AssertionError:
            asyncio.Future.set_result(test, None)

    asyncio.get_running_loop().call_soon(drive)
    await asyncio.sleep(0)
    return 1


# --- its test
import asyncio


async def main():
    assert await F() == 2


asyncio.run(main())
