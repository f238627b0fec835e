# Memory runs out in a callback of a loop, which goes on.
# stopped by: guard
# ends: memory_limit
import asyncio


async def main():
    asyncio.get_running_loop().call_soon(lambda: [0] * 10**9)
    await asyncio.sleep(0.001)


asyncio.run(main())
