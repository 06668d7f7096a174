"""The table of the walks. A row contains the client, the real peer that it publishes, and how it finds the next step."""
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "harness/python"))

import environments  # noqa: E402


@dataclass(frozen=True)
class Walk:
    """One walk from publish to export."""
    slug: str      # name of its log folder
    who: str       # as the output shows it
    runtime: str   # "node", "curl", or the Python requirements file (without .txt) whose environment it runs in
    program: str   # file under python/ or node/, or in this folder
    way: tuple     # its last arguments: how it reads the next step from an answer
    peer: str      # the slug of the peer that it lists, from peers.py of the harness

    def command(self, base, peer, folder):
        """Its command line."""
        if self.runtime == "curl":
            return [str(HERE / self.program), base, peer, *self.way, str(folder)]
        if self.runtime == "node":
            return ["node", str(environments.BUILD / "node" / self.program), base, peer, *self.way]
        return [str(environments.BUILD / self.runtime / "bin/python"), str(HERE / "python" / self.program), base, peer, *self.way]


WALKS = (
    Walk("python-mcp", "Python MCP client (mcp 2.3.0)", "mcp-2.3.0", "mcp_walk.py", (), "py-mcp-2-3-0-stateful-auto"),
    Walk("typescript-mcp", "TypeScript MCP client (@modelcontextprotocol/client 2.4.0)", "node", "mcp_walk.mjs", (),
         "ts-a2a-1-both-message"),
    Walk("python-a2a", "Python A2A client (a2a-sdk 1.3.0), data parts", "a2a-sdk-1.3.0", "a2a_walk.py", ("data",),
         "py-a2a-1-rpc-message"),
    Walk("python-a2a-words", "Python A2A client (a2a-sdk 1.3.0), words", "a2a-sdk-1.3.0", "a2a_walk.py", ("words",),
         "ts-mcp-2-4-0-stateless-sse"),
    Walk("typescript-a2a", "TypeScript A2A client (@a2a-js/sdk 1.3.0), data parts", "node", "a2a_walk.mjs", ("data",),
         "ts-a2a-1-rest-task"),
    Walk("typescript-a2a-words", "TypeScript A2A client (@a2a-js/sdk 1.3.0), words", "node", "a2a_walk.mjs", ("words",),
         "py-a2a-0-rpc-task"),
    Walk("curl-next", "curl, by `next`", "curl", "curl_walk", ("next",), "ts-mcp-1-32-2-stateful-json"),
    Walk("curl-members", "curl, by `poll`, `take_demo`, `next_steps`, `access`", "curl", "curl_walk", ("members",),
         "py-a2a-1-rest-message"),
)
