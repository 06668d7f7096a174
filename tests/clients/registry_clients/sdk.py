"""Reads a registry with mcp-registry-sdk, and prints what it checked.

    sdk.py <base URL> <state file> <server name>...     reads everything, and stores how far it came
    sdk.py <base URL> <state file>                      prints what changed since then
"""
import asyncio
import json
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from mcpreg import (HttpError, InMemorySyncStateStore, NotFoundError, PublisherClient, RegistryClient, RegistrySettings,
                    ServerStatus, SyncState, incremental_pull, resumable_scrape)


async def read_everything(client, state, names):
    assert sorted([entry.server.name async for entry in client.iter_servers(limit=2)]) == names
    print(f"all {len(names)} servers, page by page")
    store, found, pages = InMemorySyncStateStore(), [], 0
    async for page in resumable_scrape(client, store, limit=1):
        assert not page.removals
        found += [entry.server.name for entry in page.upserts]
        pages += 1
    assert sorted(found) == names and pages >= len(names), (found, pages)
    print(f"a scrape of {pages} pages")
    state.write_text((await store.load()).model_dump_json())
    found = await client.list_servers(search=names[-1])
    assert [entry.server.name for entry in found.servers] == [names[-1]]
    assert found.servers[0].status is ServerStatus.ACTIVE
    latest = await client.get_version(names[-1], "latest")
    same = await client.get_version(names[-1], latest.server.version)
    assert latest.server == same.server and latest.server.remotes[0].url.endswith("/mcp"), latest
    assert [entry.server for entry in (await client.list_versions(names[-1])).servers] == [latest.server]
    print("search, versions and one version")
    for wrong in (client.get_version("org.example/nowhere", "latest"), client.get_version(names[0], "9.9.9"),
                  client.list_versions("org.example/nowhere")):
        try:
            await wrong
        except NotFoundError:
            continue
        raise AssertionError("an unknown server was found")
    print("unknown servers are not found")
    return latest.server


async def refuse_writes(settings, server):
    """The registry lists what answers a probe. It refuses to publish in the way that the API describes."""
    for headers, allowed in ((None, (401,)), ({"authorization": "Bearer x"}, (403, 501))):
        async with PublisherClient(headers, settings) as publisher:
            for write in (publisher.publish(server), publisher.update_version(server.name, server.version, server)):
                try:
                    await write
                except HttpError as error:
                    assert error.status_code in allowed, error
                    continue
                raise AssertionError("a write was accepted")
    print("writes are refused with documented errors")


async def main(base, state, *names):
    settings = RegistrySettings(base_url=base)
    async with RegistryClient(settings) as client:
        if names:
            await refuse_writes(settings, await read_everything(client, Path(state), sorted(names)))
            return
        store = InMemorySyncStateStore(SyncState(**json.loads(Path(state).read_text())))
        changed = [entry.server async for page in incremental_pull(client, store, limit=1) for entry in page.upserts]
        print(*(server.name for server in changed), sep="\n")
        later = datetime.now(UTC) + timedelta(hours=1)
        assert not (await client.list_servers(updated_since=later)).servers, "updated_since is ignored"


asyncio.run(main(*sys.argv[1:]))
