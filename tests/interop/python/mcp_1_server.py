"""An MCP server with version 1 of the Python SDK: the same file for 1.30 (2025-11-25) and for 1.9 (2025-03-26)."""
from mcp.server.fastmcp import FastMCP

from listening import arguments, bind, serve

options = arguments("--stateless", "--json")
server = FastMCP("interop-python-1", instructions="Adds two integers.",
                 json_response=options.json, stateless_http=options.stateless)


@server.tool()
def add(a: int, b: int) -> int:
    """Add two integers and return the sum."""
    return a + b


listener, origin = bind(options.port)
serve(server.streamable_http_app(), listener, f"{origin}/mcp")
