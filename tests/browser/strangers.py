"""Peers with test texts: many peers that fill more than one page of the list, and peers with hostile texts.

All of them answer like valid peers, so that their texts reach the pages. The registry may decide that some of them do not
become Live. Other pages still show parts of their texts, and these parts must do no harm.
"""
import json
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MODERN = "2026-07-28"
MARK = "data-hostile"   # an attribute of every element that a hostile text would create
BIDI = "\u2067\u202e"


@dataclass(frozen=True)
class Stranger:
    """One peer, with its texts."""
    slug: str
    kind: str                          # "mcp" or "agent"
    name: str
    description: str = "Adds two integers and returns the sum."
    parts: tuple = (("add", "Add two integers."),)   # tools or skills: name, description
    website: str = ""
    verbatim: bool = False             # its name is plain text, and is shown unchanged
    signs_in: bool = False             # it asks for a sign-in, and every part of the sign-in is correct

    def publication(self, origin):
        if self.kind == "agent":
            return {"agent_card_url": f"{origin}/{self.slug}/.well-known/agent-card.json"}
        return {"mcp_url": f"{origin}/{self.slug}/mcp"}


def crowd(count):
    """Valid peers, alternately servers and agents, in several categories."""
    categories = (("Postgres", "Queries a Postgres database."), ("Weather", "Tells the weather of a city."),
                  ("Ledger", "Books payments and invoices of a shop."), ("Commit", "Reviews git commits and code."))
    for n in range(count):
        word, description = categories[n // 2 % len(categories)]
        kind = ("mcp", "agent")[n % 2]
        noun = "server" if kind == "mcp" else "agent"
        yield Stranger(f"crowd-{n:03}", kind, f"{word} {noun} {n:03}", f"{description} Number {n} of a crowd.")


GATED = Stranger("gated", "mcp", "Server with a sign-in", signs_in=True)

_SCRIPT = f"<script {MARK}>alert(1)</script>"
HOSTILE = (
    Stranger("markup", "agent", f"<img src=x onerror=alert(1) {MARK}>",
             f"{_SCRIPT}<iframe {MARK} srcdoc='x'></iframe>"),
    Stranger("slashes", "mcp", f'"><svg/{MARK}/onload=alert(1)>', f"<svg/{MARK}/onload=alert(1)>"),
    Stranger("quotes", "mcp", f"""Robert'); " onmouseover="alert(1)" {MARK}=' x""", verbatim=True),
    Stranger("ends", "mcp", "Closes its element",
             "</title></style></script></textarea></noscript></template>"
             f"<h1 {MARK}>Owned</h1><b {MARK}>b</b> ]]> -->"),
    Stranger("entities", "agent", "&lt;b&gt; &amp;amp; &#x3c;script&#x3e;", "&quot;&gt;&lt;script&gt;", verbatim=True),
    Stranger("templates", "mcp", "{{7*7}} ${7*7} {% raw %} #{7*7}", "{{ constructor }}", verbatim=True),
    Stranger("bidi", "agent", f"Weather {BIDI}tnega{BIDI}", f"Tells {BIDI}weather."),
    Stranger("bidi-server", "mcp", f"Weather {BIDI}revres{BIDI}", f"Tells {BIDI}weather."),
    Stranger("right-to-left", "mcp", "خادم الطقس 123 (v2)", "يخبر عن الطقس في أي مدينة.", verbatim=True),
    Stranger("control", "mcp", "A\u0000B\u001b[31mC\u0007", "Rings\u0007 the bell."),
    Stranger("endless", "agent", "E" * 10_240, "e" * 10_240),
    Stranger("endless-server", "mcp", "S" * 10_240, "s" * 10_240),
    Stranger("wide", "mcp", "W" * 120, "w" * 999, verbatim=True),
    Stranger("stacked", "mcp", "Z" + "\u0315\u035f\u0489" * 39, "z" + "\u0302" * 500),
    Stranger("script-address", "agent", "Address that is a script", website="javascript:alert(1)"),
    Stranger("data-address", "mcp", "Address that is a document", website=f"data:text/html,{_SCRIPT}"),
    Stranger("parts", "mcp", "Tools with words", parts=(
        ("t" * 128, "d" * 2_000), ("quoted", f"\" autofocus onfocus=\"alert(1)\" {MARK}=\""),
        ("heading", f"<h2 {MARK}>Owned</h2>"), *((f"tool_{n}", f"Tool number {n}.") for n in range(150)))),
    Stranger("skills", "agent", "Skills with words", parts=(
        ("s" * 128, "d" * 2_000), ("heading", f"<h2 {MARK}>Owned</h2>"),
        *((f"skill_{n}", f"Skill number {n}.") for n in range(60)))),
)


def _card(stranger, origin):
    address = stranger.website or "https://example.org/docs"
    skill = ({"id": f"s{n}", "name": name, "description": text, "tags": [name]}
             for n, (name, text) in enumerate(stranger.parts))
    return {"name": stranger.name, "description": stranger.description, "version": "1.0.0",
            "supportedInterfaces": [{"url": f"{origin}/{stranger.slug}/rpc", "protocolBinding": "JSONRPC",
                                     "protocolVersion": "1.0"}],
            "documentationUrl": address, "provider": {"organization": stranger.name[:200], "url": address},
            "capabilities": {}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
            "skills": list(skill)}


def _discovered(stranger):
    info = {"name": stranger.slug, "title": stranger.name, "version": "1.0.0", "description": stranger.description}
    if stranger.website:
        info["websiteUrl"] = stranger.website
    return {"resultType": "complete", "supportedVersions": [MODERN], "capabilities": {"tools": {}}, "ttlMs": 60_000,
            "cacheScope": "public", "_meta": {"io.modelcontextprotocol/serverInfo": info}}


def _tools(stranger):
    tools = [{"name": name, "description": text, "inputSchema": {"type": "object"}} for name, text in stranger.parts]
    return {"resultType": "complete", "tools": tools, "ttlMs": 60_000, "cacheScope": "public"}


def _sign_in(path, origin):
    """The documents with which a client begins a sign-in (RFC 9728, RFC 8414)."""
    return {
        f"/.well-known/oauth-protected-resource/{GATED.slug}/mcp":
            {"resource": f"{origin}/{GATED.slug}/mcp", "authorization_servers": [origin]},
        "/.well-known/oauth-authorization-server":
            {"issuer": origin, "authorization_endpoint": f"{origin}/authorize", "token_endpoint": f"{origin}/token",
             "registration_endpoint": f"{origin}/register", "response_types_supported": ["code"],
             "code_challenge_methods_supported": ["S256"]},
    }.get(path)


def _reply(stranger, method):
    """The result of a call, or a JSON-RPC error."""
    if stranger.kind == "mcp" and method == "server/discover":
        return {"result": _discovered(stranger)}
    if stranger.kind == "mcp" and method == "tools/list":
        return {"result": _tools(stranger)}
    if stranger.kind == "agent" and method == "GetTask":
        return {"error": {"code": -32001, "message": "Task not found"}}
    if stranger.kind == "agent" and method == "SendMessage":
        message = {"messageId": "m-1", "role": "ROLE_AGENT", "parts": [{"text": stranger.description}]}
        return {"result": {"message": message}}
    return {"error": {"code": -32601, "message": "Method not found"}}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        slug, _, rest = self.path.strip("/").partition("/")
        stranger = self.server.strangers.get(slug)
        if stranger and stranger.kind == "agent" and rest == ".well-known/agent-card.json":
            self._send(200, _card(stranger, self.server.origin))
        elif document := _sign_in(self.path, self.server.origin):
            self._send(200, document)
        elif slug == "no-card":
            self._send(200, b"<!doctype html><title>Welcome</title><p>A page, and no agent card.", "text/html")
        else:
            self._send(404, {"error": "not found"})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        stranger = self.server.strangers.get(self.path.strip("/").partition("/")[0])
        try:
            asked = json.loads(body)
        except ValueError:
            asked = None
        if not stranger or not isinstance(asked, dict):
            return self._send(404, {"error": "not found"})
        if stranger.signs_in:
            metadata = f"{self.server.origin}/.well-known/oauth-protected-resource{self.path}"
            return self._send(401, {"error": "invalid_token"}, challenge=f'Bearer resource_metadata="{metadata}"')
        if "id" not in asked:
            return self._send(202, b"")
        self._send(200, {"jsonrpc": "2.0", "id": asked["id"], **_reply(stranger, asked.get("method"))})

    def _send(self, status, body, kind="application/json", challenge=None):
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        if challenge:
            self.send_header("www-authenticate", challenge)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def start(strangers):
    """Starts one server for all peers in this process. Returns its origin."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.origin = f"http://127.0.0.1:{server.server_port}"
    server.strangers = {stranger.slug: stranger for stranger in strangers}
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.origin
