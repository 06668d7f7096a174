"""The table of the peers. A row contains the release of the official SDK, and how the peer is started and published.

It also contains the official clients that confirm that the peer works. It is a table, so that the coverage is easy to see
and a new release is one row.
"""
from dataclasses import dataclass


@dataclass(frozen=True)
class Peer:
    """One server or agent of an official SDK."""
    slug: str             # unique, [a-z0-9-]; names the log file and the published server
    sdk: str              # package and release, as the table shows it
    runtime: str          # "node", or the Python requirements file (without .txt) whose environment it runs in
    program: str          # file under python/ or node/
    flags: tuple          # its command line
    dialect: str          # newest protocol revision that it supports
    answers: str          # JSON, SSE; for agents the binding
    state: str            # stateful, stateless; for agents the type of an answer
    publish: str          # "server.json", "url", "card", "site"
    clients: tuple        # command lines of the official clients that must succeed first
    gated: bool = False   # asks for sign-in; its clients sign in at an authorization server on another port

    @property
    def kind(self):
        return "agent" if self.publish in ("card", "site") else "mcp"

    @property
    def lane(self):
        """Where the registry must put it."""
        return "gated" if self.gated else "active"

    def url(self, address):
        """What to publish of the peer at this address."""
        return f"{address}/.well-known/agent-card.json" if self.publish == "card" else address


def _mcp_python(release, generation, era, streams):
    for stateless in (False, True):
        for json in (False, True):
            state, answers = ("stateless" if stateless else "stateful"), ("JSON" if json else streams)
            flags = ("--stateless",) * stateless + ("--json",) * json
            yield Peer(f"py-mcp-{release.replace('.', '-')}-{state}-{answers.lower()}", f"mcp {release}", f"mcp-{release}",
                       f"mcp_{generation}_server.py", flags, era, answers, state,
                       "url" if stateless and json else "server.json", ((f"mcp_{generation}_client.py",),))


def _mcp_typescript_1(release, era):
    alias = "mcp-sdk-" + ".".join(release.split(".")[:2])
    for stateless in (False, True):
        for json in (False, True):
            state, answers = ("stateless" if stateless else "stateful"), ("JSON" if json else "SSE")
            flags = ("--sdk", alias, *("--stateless",) * stateless, *("--json",) * json)
            yield Peer(f"ts-mcp-{release.replace('.', '-')}-{state}-{answers.lower()}", f"@modelcontextprotocol/sdk {release}",
                       "node", "mcp_1_server.mjs", flags, era, answers, state,
                       "url" if json and not stateless else "server.json", (("mcp_1_client.mjs", alias),))


def _mcp_typescript_2():
    modern, older = ("mcp_2_client.mjs",), ("mcp_1_client.mjs", "mcp-sdk-1.32")
    for name, flags, answers, state, publish, clients in (
            ("stateless-sse", (), "SSE", "stateless", "server.json", (modern, older)),
            ("stateless-json", ("--json",), "JSON", "stateless", "url", (modern, older)),
            ("stateful-sse", ("--stateful",), "SSE", "stateful", "server.json", (modern, older)),
            ("stateful-json", ("--stateful", "--json"), "JSON", "stateful", "server.json", (modern, older)),
            ("modern-only-sse", ("--modern-only",), "SSE", "modern only", "server.json", (modern,)),
            ("modern-only-json", ("--modern-only", "--json"), "JSON", "modern only", "server.json", (modern,))):
        yield Peer(f"ts-mcp-2-4-0-{name}", "@modelcontextprotocol/server 2.4.0", "node", "mcp_2_server.mjs", flags,
                   "2026-07-28", answers, state, publish, clients)


def _gated():
    for release, generation, era in (("2.3.0", 2, "2026-07-28"), ("1.30.0", 1, "2025-11-25")):
        yield Peer(f"py-mcp-{release.replace('.', '-')}-gated", f"mcp {release}", f"mcp-{release}",
                   f"mcp_{generation}_server.py", ("--gated",), era, "SSE", "stateful", "server.json",
                   ((f"mcp_{generation}_client.py", "--gated"),), True)
    yield Peer("ts-mcp-2-4-0-gated", "@modelcontextprotocol/server 2.4.0", "node", "mcp_2_server.mjs", ("--gated",),
               "2026-07-28", "SSE", "stateless", "server.json", (("mcp_2_client.mjs", "--gated"),), True)
    alias = "mcp-sdk-1.32"
    yield Peer("ts-mcp-1-32-2-gated", "@modelcontextprotocol/sdk 1.32.2", "node", "mcp_1_server.mjs",
               ("--sdk", alias, "--gated"), "2025-11-25", "SSE", "stateful", "url", (("mcp_1_client.mjs", alias, "--gated"),), True)


def _agents(language, sdk, runtime, program, clients, rows):
    for name, flags, dialect, binding, answer, publish in rows:
        yield Peer(f"{language}-a2a-{name}", sdk, runtime, program, flags, dialect, binding, answer, publish, clients)


_ONE = (("1-rpc-message", (), "1.0", "JSONRPC", "message", "card"),
        ("1-rpc-task", ("--task",), "1.0", "JSONRPC", "task", "site"),
        ("1-rest-message", ("--rest",), "1.0", "HTTP+JSON", "message", "card"),
        ("1-rest-task", ("--rest", "--task"), "1.0", "HTTP+JSON", "task", "site"),
        ("1-both-message", ("--both-versions",), "1.0 and 0.3", "JSONRPC", "message", "card"))
_ZERO = (("0-rpc-message", (), "0.3", "JSONRPC", "message", "card"),
         ("0-rpc-task", ("--task",), "0.3", "JSONRPC", "task", "site"),
         ("0-rest-message", ("--rest",), "0.3", "HTTP+JSON", "message", "card"),
         ("0-rest-task", ("--rest", "--task"), "0.3", "HTTP+JSON", "task", "card"))

PEERS = (
    *_agents("py", "a2a-sdk 1.3.0", "a2a-sdk-1.3.0", "a2a_1_agent.py", (("a2a_1_client.py",),), _ONE),
    *_agents("py", "a2a-sdk 0.3.26", "a2a-sdk-0.3.26", "a2a_0_agent.py", (("a2a_0_client.py",),), _ZERO),
    *_agents("ts", "@a2a-js/sdk 1.3.0", "node", "a2a_1_agent.mjs", (("a2a_1_client.mjs",),), _ONE),
    *_agents("ts", "@a2a-js/sdk 0.3.14", "node", "a2a_0_agent.mjs", (("a2a_0_client.mjs",),), _ZERO),
    # "auto": at 2026-07-28 this SDK answers with a stream only after a tool has sent something or takes long
    *_mcp_python("2.3.0", 2, "2026-07-28", "auto"),
    *_mcp_python("1.30.0", 1, "2025-11-25", "SSE"),
    *_mcp_python("1.9.4", 1, "2025-03-26", "SSE"),
    *_mcp_typescript_2(),
    *_mcp_typescript_1("1.32.2", "2025-11-25"),
    *_mcp_typescript_1("1.12.3", "2025-03-26"),
    *_gated(),
)


def newest():
    """The peers of the newest release of each SDK package."""
    def version(peer):
        return tuple(map(int, peer.sdk.split()[1].split(".")))
    best = {}
    for peer in PEERS:
        package = peer.sdk.split()[0]
        best[package] = max(best.get(package, ()), version(peer))
    return tuple(peer for peer in PEERS if version(peer) == best[peer.sdk.split()[0]])
