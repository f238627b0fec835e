import asyncio
import contextvars
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, contextmanager
from contextvars import ContextVar

user: ContextVar[str] = ContextVar("user", default="nobody")
seen = []


@contextmanager
def as_user(name):
    token = user.set(name)
    try:
        yield
    finally:
        user.reset(token)


async def handler(name):
    user.set(name)
    await asyncio.sleep(0)
    seen.append((name, user.get()))


@asynccontextmanager
async def conn(n):
    seen.append(f"open {n}")
    yield n
    seen.append(f"close {n}")


async def numbers():
    try:
        for i in range(10):
            yield i
    finally:
        seen.append("gen closed")


async def main():
    await asyncio.gather(handler("a"), handler("b"))
    assert user.get() == "nobody"
    async with AsyncExitStack() as st:
        await st.enter_async_context(conn(1))
        await st.enter_async_context(conn(2))
    async with aclosing(numbers()) as ns:
        async for n in ns:
            if n == 2:
                break
    it = aiter(numbers())
    assert await anext(it) == 0
    await it.aclose()


with as_user("root"):
    assert user.get() == "root"
assert user.get() == "nobody"
asyncio.run(main())
assert seen == [("a", "a"), ("b", "b"), "open 1", "open 2", "close 2", "close 1", "gen closed", "gen closed"], seen
ctx = contextvars.copy_context()
assert ctx.run(lambda: user.set("inner") and user.get()) == "inner" and user.get() == "nobody"
print(len(seen))
