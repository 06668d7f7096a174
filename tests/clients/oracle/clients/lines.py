"""The loop of a client: one URL per line on stdin, one JSON line per URL on stdout."""
import asyncio
import json
import sys

TICKS = 100  # the time limit for a URL: 10 s in steps of 0.1 s, which take longer while the process is busy
AT_ONCE = 16
MAX_PAGES = 100  # a client that follows a cursor without end


def first(error):
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"[:300]


async def one(use, url, places):
    async with places:
        task = asyncio.create_task(use(url))
        for _ in range(TICKS):
            if (await asyncio.wait({task}, timeout=0.1))[0]:
                break
        task.cancel("time limit")
        try:
            answer = {"ok": True, **await task}
        except asyncio.CancelledError:
            answer = {"ok": False, "error": "time limit"}
        except Exception as error:  # a client may fail in any way
            answer = {"ok": False, "error": first(error)}
    print(json.dumps({"url": url, **answer}), flush=True)


async def main(use):
    places, running = asyncio.Semaphore(AT_ONCE), set()
    while line := (await asyncio.to_thread(sys.stdin.readline)).strip():
        running.add(asyncio.create_task(one(use, line, places)))
    await asyncio.gather(*running)


async def names(session, field="nextCursor"):
    """The names of the tools on all pages."""
    found, cursor = [], None
    for _ in range(MAX_PAGES):
        page = await (session.list_tools(cursor=cursor) if cursor else session.list_tools())
        found += [tool.name for tool in page.tools]
        cursor = getattr(page, field)
        if not cursor:
            return {"tools": found}
    raise ValueError("the pages do not end")


async def offers(session, capabilities, field="nextCursor"):
    """Lists what the server offers."""
    if capabilities.tools is not None:
        return await names(session, field)
    if capabilities.prompts is not None:
        await session.list_prompts()
    if capabilities.resources is not None:
        await session.list_resources()
    return {"tools": []}


def run(use):
    asyncio.run(main(use))
