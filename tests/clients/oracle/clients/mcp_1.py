"""Lists the tools of MCP servers with version 1 of the Python SDK."""
from lines import offers, run
from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client


async def use(url):
    async with streamablehttp_client(url) as (incoming, outgoing, _), ClientSession(incoming, outgoing) as session:
        return await offers(session, (await session.initialize()).capabilities)


run(use)
