"""The compared registries. For each registry, it contains the requests to send and a check that the answers are correct.

Each registry is used over its own API. The chosen calls are as similar as possible between the registries.
"""
import copy
import json
import re
import time
from urllib.parse import quote, urlsplit

import load
import registry as interop

PAGE = 30
LIVE_S = 30
LOOK_S = 0.005
REST_S = 1


class Refused(Exception):
    """A registry refuses this server description."""


class Registry:
    """The common part. A subclass defines its paths, and reads the names from its answers."""
    published = 200
    publishes = True
    headers = ""

    def __init__(self, base):
        parts = urlsplit(base)
        if not re.fullmatch(r"localhost|127(\.\d+){3}", parts.hostname or ""):
            raise load.WrongAnswer(f"{base} is not on this machine: load is for loopback only")
        self.base, self.address = base, (parts.hostname, parts.port or 80)
        self.connection, self.used = None, 0

    def again(self):
        """The same registry, over a separate connection."""
        other = copy.copy(self)
        other.connection = None
        return other

    def ask(self, request):
        """The status and the document of an answer, over a kept-alive connection."""
        try:
            # the server may close a connection that is idle for a few seconds
            if not self.connection or time.monotonic() > self.used + REST_S:
                self.connection = load.Connection(self.address)
            status, body = self.connection.ask(request)
            self.used = time.monotonic()
        except (OSError, load.WrongAnswer) as error:
            self.connection = None
            raise load.WrongAnswer(f"{self.name}: {request.split(b' HTTP')[0].decode()}: {error}") from error
        try:
            return status, json.loads(body)
        except ValueError:
            return status, {"text": body[:300].decode(errors="replace")}

    def get(self, path):
        status, document = self.ask(load.get(path, self.address))
        if status != 200:
            raise load.WrongAnswer(f"{self.name}: {path} was answered {status}: {json.dumps(document)[:300]}")
        return document

    def publication(self, server, origin):
        path, body = self.description(server, f"{origin}/{server.slug}/mcp")
        return load.post(path, self.address, json.dumps(body).encode(), self.headers)

    def publish(self, server, origin):
        """The answer to one publication."""
        status, document = self.ask(self.publication(server, origin))
        if status in (400, 409, 422):
            raise Refused(f"{server.slug}: {status}: {json.dumps(document)[:300]}")
        if status != self.published:
            raise load.WrongAnswer(f"{self.name}: publishing {server.slug} was answered {status}: {json.dumps(document)[:300]}")
        return document

    def target(self, paths):
        """The measured requests. Each path is requested once before, and its answer must be correct."""
        for path, right in paths:
            if not right(found := self.names(self.get(path))):
                raise load.WrongAnswer(f"{self.name}: {path} was answered with {found[:5] or 'an empty list'}")
        return load.Target(self.address, tuple(load.get(path, self.address) for path, _ in paths))

    def list(self, servers):
        return self.target([(self.list_path(), lambda found: len(found) == min(PAGE, len(servers)))])

    def search(self, words):
        return self.target([(self.search_path(word), lambda found: len(found) > 0) for word in words])

    def best_search(self, words):
        """With the best search that it has."""
        return self.search(words)

    def finds(self, word):
        return len(self.names(self.get(self.search_path(word)))) > 0

    def one(self, servers):
        return self.target([(self.path(server), [self.name_of(server)].__eq__) for server in servers])

    def name_of(self, server):
        return server.slug

    def settle(self, count):
        """Waits until all of the published servers are processed."""


class Ours(Registry):
    """This registry: it answers at once, does the handshake right after, and finds words, misspelled words and meanings."""
    name = "registry"

    def version(self):
        return self.get("/v0.1/version")["version"]

    def name_of(self, server):
        return f"org.example.bench/{server.slug}"

    def description(self, server, url):
        return "/api/publish", {"$schema": interop.SCHEMA, "name": self.name_of(server), "version": "1.0.0",
                                "description": server.description, "remotes": [{"type": "streamable-http", "url": url}]}

    def list_path(self):
        return f"/v0.1/servers?limit={PAGE}"

    def search_path(self, word):
        return f"/v0.1/servers?search={word}&limit={PAGE}"

    def best_search(self, words):
        return self.target([(self.best_path(word), lambda found: len(found) > 0) for word in words])

    def best_path(self, word):
        return f"/api/ard/search?q={word}&limit={PAGE}"

    def finds(self, word):
        return super().finds(word) and len(self.names(self.get(self.best_path(word)))) > 0

    def path(self, server):
        return f"/v0.1/servers/{quote(self.name_of(server), safe='')}/versions/latest"

    def names(self, document):
        if "server" in document:
            return [document["server"]["name"]]
        return [row["server"]["name"] for row in document["servers"]] if "servers" in document else \
               [hit["name"] for hit in document["hits"]]

    def listed(self):
        """The names of all Live listings."""
        names, cursor = [], ""
        while True:
            page = self.get(f"/v0.1/servers?limit=100{cursor}")
            names += self.names(page)
            if not (after := page["metadata"].get("nextCursor")):
                return names
            cursor = f"&cursor={quote(after, safe='')}"

    def until_live(self, server, origin):
        """Seconds from the publication until the listing is Live."""
        begun = time.monotonic()
        status = f"/api/listings/status?id={self.publish(server, origin)['listing_id']}"
        while (lane := self.get(status)["lane"]) != "active":
            if time.monotonic() > begun + LIVE_S:
                raise load.WrongAnswer(f"{self.name}: {server.slug} is {lane} after {LIVE_S} s")
            time.sleep(LOOK_S)
        return time.monotonic() - begun

    def settle(self, count):
        begun = time.monotonic()
        while len(self.listed()) < count and time.monotonic() < begun + LIVE_S:
            time.sleep(0.2)


class ContextForge(Registry):
    """ContextForge: it answers a publication after the handshake, and finds a part of a name, address or description."""
    name = "ContextForge"

    def __init__(self, base, version):
        super().__init__(base)
        self.ids, self._version = {}, version

    def version(self):
        return self._version

    def description(self, server, url):
        return "/v1/gateways", {"name": server.slug, "url": url, "description": server.description, "transport": "STREAMABLEHTTP"}

    def publish(self, server, origin):
        answer = super().publish(server, origin)
        if not answer.get("reachable"):
            raise Refused(f"{server.slug}: it is listed as not reachable")
        self.ids[server.slug] = answer["id"]
        return answer

    def list_path(self):
        return f"/v1/gateways?limit={PAGE}"

    def search_path(self, word):
        return f"/v1/admin/gateways/search?q={word}&limit={PAGE}"

    def path(self, server):
        return f"/v1/gateways/{self.ids[server.slug]}"

    def names(self, document):
        rows = document if isinstance(document, list) else document.get("gateways", [document])
        return [row["name"] for row in rows]

    def listed(self):
        return self.names(self.get("/v1/gateways?limit=0"))

    def until_live(self, server, origin):
        begun = time.monotonic()
        self.publish(server, origin)
        return time.monotonic() - begun


class Official(Registry):
    """A running registry with the official API, /v0.1 or /v0: it sends no handshakes, and finds a part of the name.

    It accepts publications if it issues an anonymous token (MCP_REGISTRY_ENABLE_ANONYMOUS_AUTH=true). Otherwise its
    servers are published to the other registry.
    """
    name = "official API"
    until_live = None

    def __init__(self, base):
        super().__init__(base)
        self.api = next((api for api in ("/v0.1", "/v0") if self.ask(load.get(f"{api}/servers?limit=1", self.address))[0] == 200), None)
        if not self.api:
            raise load.WrongAnswer(f"{base} answers neither /v0.1/servers nor /v0/servers")
        status, token = self.ask(load.post(f"{self.api}/auth/none", self.address, b"{}"))
        self.publishes = status == 200 and "registry_token" in token
        if self.publishes:
            self.headers = f"authorization: Bearer {token['registry_token']}\r\n"
        self.rows = {}

    def version(self):
        return f"{self.api} at {self.base}"

    def name_of(self, server):
        return self.rows[server][0] if server in self.rows else f"io.modelcontextprotocol.anonymous/{server.slug}"

    def description(self, server, url):
        # it accepts no loopback address, and no address of another domain
        return f"{self.api}/publish", {
            "$schema": interop.SCHEMA, "name": self.name_of(server), "version": "1.0.0", "description": server.description,
            "remotes": [{"type": "streamable-http", "url": f"https://anonymous.modelcontextprotocol.io/{server.slug}/mcp"}]}

    def list_path(self):
        return f"{self.api}/servers?limit={PAGE}"

    def search_path(self, word):
        return f"{self.api}/servers?search={word}&limit={PAGE}"

    def path(self, server):
        if id := self.rows.get(server, (None, None))[1]:
            return f"{self.api}/servers/{id}"
        return f"{self.api}/servers/{quote(self.name_of(server), safe='')}/versions/latest"

    def names(self, document):
        rows = document.get("servers", [document])
        return [row.get("server", row)["name"] for row in rows]

    def search(self, words):
        """None if the registry ignores the search parameter and returns all servers."""
        for word in words:
            if not all(word in name.lower() for name in self.names(self.get(self.search_path(word)))):
                return None
        return super().search(words)

    def pages(self):
        cursor = ""
        while True:
            page = self.get(f"{self.api}/servers?limit=100{cursor}")
            yield from page["servers"]
            metadata = page.get("metadata") or {}
            if not (after := metadata.get("nextCursor") or metadata.get("next_cursor")):
                return
            cursor = f"&cursor={quote(after, safe='')}"

    def listed(self):
        return [row.get("server", row)["name"] for row in self.pages()]

    def all(self, count, server):
        """The first `count` servers that it lists, each built by `server` from its name and description."""
        for row in self.pages():
            listed = row.get("server", row)
            self.rows[server(listed["name"], listed["description"])] = (listed["name"], row.get("id"))
            if len(self.rows) == count:
                break
        return list(self.rows)
