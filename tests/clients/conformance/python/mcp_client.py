"""Uses the registry with the Python SDK: connects, lists and calls tools, and calls an unknown tool.

Arguments: the endpoint, and how to choose the revision (auto, legacy, or one fixed revision).
"""
import asyncio
import json
import sys

from mcp import Client
from mcp.shared.exceptions import MCPError


async def converse(client):
    names, page = [], await client.list_tools()
    names += [tool.name for tool in page.tools]
    while page.next_cursor:
        page = await client.list_tools(cursor=page.next_cursor)
        names += [tool.name for tool in page.tools]
    assert {"list_yourself", "check_status", "match_capability", "interop_resolve"} <= set(names), names

    found = await client.call_tool("search_active", {"limit": 3, "detail": "full"})
    assert found.structured_content["ok"] is True and not found.is_error, found
    assert json.loads(found.content[0].text) == found.structured_content

    absent = await client.call_tool("check_status", {"id": "agtpub_00000000000000000000"})
    assert absent.is_error and absent.structured_content["code"] == "listing_not_found", absent
    assert absent.structured_content["next"]["action"] == "find_listing"

    try:
        answer = await client.call_tool("nope", {})
    except MCPError as error:
        assert (error.code, error.message) == (-32602, "Unknown tool: nope"), error
    else:
        raise AssertionError(f"a tool that there is not answered {answer}")


async def main(url, mode):
    async with Client(url, mode=mode) as client:
        assert client.protocol_version == ("2025-11-25" if mode == "legacy" else "2026-07-28"), client.protocol_version
        await converse(client)
        print(client.protocol_version)


asyncio.run(main(*sys.argv[1:]))
