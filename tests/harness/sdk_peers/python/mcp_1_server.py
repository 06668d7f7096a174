"""An MCP server built with version 1 of the Python SDK.

The same file is used for SDK 1.30 (MCP 2025-11-25) and for SDK 1.9 (MCP 2025-03-26).
"""
from mcp.server.fastmcp import FastMCP

from listening import arguments, bind, serve

options = arguments("--stateless", "--json", "--gated")
listener, origin = bind(options.port)
if options.gated:
    from sign_in import required
server = FastMCP("interop-python-1", instructions="Adds two integers.", json_response=options.json,
                 stateless_http=options.stateless, **(required(origin) if options.gated else {}))


@server.tool()
def add(a: int, b: int) -> int:
    """Add two integers and return the sum."""
    return a + b


serve(server.streamable_http_app(), listener, f"{origin}/mcp")
