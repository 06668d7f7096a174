"""The ways in which untrusted input makes the registry send requests. Each way is tried with every private target.

A way returns its number of attempts. The name server, the peer and the canary count the requests that they get.
"""
import json
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any
from urllib.parse import quote

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "harness/python"))

import registry  # noqa: E402
import scripts  # noqa: E402
from peer import Peer, in_path  # noqa: E402
from scripts import TARGETS, name  # noqa: E402

VERDICT_SECONDS = 12
TOKEN = "an-operator-token-of-32-characters"
SPELLINGS = HERE / "fuzz" / "spellings.txt"


def spellings() -> dict[str, str]:
    """The spellings of addresses, each with the code of its refusal."""
    lines = [line.partition(" ") for line in SPELLINGS.read_text().splitlines() if line and not line.startswith("#")]
    return {json.loads(text): code for code, _, text in lines}


class Broken(Exception):
    """A way has an unexpected result, regardless of the canary."""


@dataclass
class Site:
    """The registry under test."""
    base: str

    def call(self, path: str, body: Any = None) -> tuple[int, Any]:
        """One request; a timeout counts as an attempt."""
        try:
            return registry.call(self.base, path, body)
        except OSError as error:
            return 0, str(error)

    def as_operator(self, path: str, body: Any) -> int:
        """A request with the operator's token; returns the status."""
        headers = {"content-type": "application/json", "authorization": f"Bearer {TOKEN}"}
        request = urllib.request.Request(self.base + path, json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return int(response.status)
        except urllib.error.HTTPError as error:
            return error.code

    def all(self, calls: Iterable[tuple[str, Any]]) -> list[tuple[int, Any]]:
        """Sends requests, eight concurrently."""
        with ThreadPoolExecutor(8) as pool:
            return list(pool.map(lambda one: self.call(*one), list(calls)))

    def scores(self, urls: Iterable[str]) -> list[tuple[int, Any]]:
        return self.all((f"/api/score?url={quote(url, safe='')}", None) for url in urls)

    def publish(self, bodies: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        """Publishes, and waits for verdicts up to a time limit; returns the last status of accepted listings."""
        answers = self.all(("/api/publish", body) for body in bodies)
        ids = [answer["listing_id"] for code, answer in answers if code == 200 and answer.get("listing_id")]
        deadline, known = time.monotonic() + VERDICT_SECONDS, dict[str, Any]()
        while time.monotonic() < deadline and len(known) < len(ids):
            for listing_id in set(ids) - set(known):
                status = self.call(f"/api/listings/status?id={listing_id}")[1]
                if status.get("lane") not in (None, "queued"):
                    known[listing_id] = status
            time.sleep(0.2)
        return list(known.values())


def server_json(slug: str, url: str, **more: Any) -> dict[str, Any]:
    return registry.publication("server.json", slug, url) | more


def honest(site: Site) -> int:
    """The positive control: in public mode, over TLS, an agent and two servers go Live."""
    statuses = site.publish([
        {"agent_card_url": f"https://{name('good')}/.well-known/agent-card.json"},
        {"mcp_url": f"https://{name('good')}/mcp"}, {"mcp_url": f"https://{name('good-too')}:8443/mcp"},
    ])
    lanes = [status.get("lane") for status in statuses]
    if lanes != ["active"] * 3:
        raise Broken(f"honest peers did not go Live: {json.dumps(statuses)[:2000]}")
    return len(lanes)


def spelled(site: Site) -> int:
    known = spellings()
    for url, (_, answer) in zip(known, site.scores(known)):
        if not isinstance(answer, dict) or answer.get("code") != known[url]:
            raise Broken(f"the score of {url!r} is {answer} instead of {known[url]}")
    answers = site.all(("/api/publish", {kind: url}) for url in known for kind in ("url", "mcp_url"))
    if any(code == 200 for code, _ in answers):
        raise Broken("spellings were accepted")
    return 3 * len(known)


def rebinding(label: str) -> Callable[[Site], int]:
    def way(site: Site) -> int:
        host = name(label)
        site.publish([{"mcp_url": f"https://{host}/mcp"}, {"url": f"https://{host}/"}])
        site.scores([f"https://{host}/mcp", f"https://{host}:8443/mcp", f"https://{host}/.well-known/agent-card.json"])
        return 5
    return way


def redirects(site: Site) -> int:
    urls = [f"https://{name('r')}/to/{status}/{in_path(target)}"
            for status in (301, 302, 303, 307, 308) for target in TARGETS]
    site.scores(urls)
    # A chain of two redirects: the second hop is checked like the first.
    second = [f"https://{name('d')}/to/302/{in_path(target)}" for target in TARGETS]
    chained = [f"https://{name('c')}/to/302/{in_path(url)}" for url in second]
    site.scores(chained)
    site.publish({kind: url} for url in urls[::5] + chained[::5] for kind in ("agent_card_url", "mcp_url"))
    return len(urls) + len(chained) + 2 * len(urls[::5] + chained[::5])


def below(folder: str, kind: str) -> Callable[[Site], int]:
    def way(site: Site) -> int:
        urls = [f"https://{name(folder)}/{folder}/{in_path(target)}" for target in TARGETS]
        site.scores(urls)
        site.publish({kind: url} for url in urls)
        return 2 * len(urls)
    return way


def descriptions(site: Site) -> int:
    hosts = [name("inside"), name("both"), name("alias"), name("zero"), name("then-inside")]
    urls = [*TARGETS, *(f"https://{host}/mcp" for host in hosts), "https://{host}/mcp", "https://127.0.0.{n}/mcp"]
    bodies = [server_json(f"described-{n}", url, icons=[{"src": url}], websiteUrl=url, repository={"url": url, "source": "github"})
              for n, url in enumerate(urls)]
    bodies += [server_json(f"remote-{n}", url) for n, url in enumerate(urls)]
    bodies += [{**server_json(f"second-{n}", f"https://{name('good')}/mcp?{n}"),
                "remotes": [{"type": "streamable-http", "url": f"https://{name('good')}/mcp?{n}"}, {"type": "sse", "url": url}]}
               for n, url in enumerate(urls)]
    bodies += [server_json("variable", "https://{h}/mcp", remotes=[{
        "type": "streamable-http", "url": "https://{h}/mcp", "variables": {"h": {"default": "127.0.0.2"}}}])]
    site.publish(bodies)
    return len(bodies)


def keys(turn: Callable[[str], None]) -> Callable[[Site], int]:
    """Proofs by TXT, well-known document and key set, at hosts that are honest until the proof is requested. Then half of
    them redirect to a private address, and the names of the others resolve to one."""
    def way(site: Site) -> int:
        hosts = [name("keys"), *(name(f"keys-{n}") for n in range(len(TARGETS)))]
        listed = site.publish({"mcp_url": f"https://{host}/mcp"} for host in hosts)
        Peer.moved.update(dict(zip(hosts[1::2], TARGETS)))
        for host in hosts[2::2]:
            turn(host)
        jwk = {"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}
        tried = 0
        for status in listed:
            asked = {"action": "bind_identity", "listing_id": status["listing_id"], "public_jwk": jwk}
            code, answer = site.call("/api/products/first-principles", asked)
            if code != 200:
                raise Broken(f"a challenge returned {code}: {answer}")
            signed = {"nonce": answer["challenge"]["nonce"], "signature": "0" * 128}
            site.call("/api/products/first-principles", asked | signed)
            tried += 2
        bodies = []
        for host in hosts:
            body = {"server_json": server_json("x", f"https://{host}/mcp", name=f"dev.peer.{host.split('.')[0]}/adder"), "proof": {}}
            code, answer = site.call("/api/publish", body)
            if code != 403 or "challenge" not in answer:
                raise Broken(f"a proof without a signature returned {code}: {answer}")
            bodies.append(body | {"proof": {"nonce": answer["challenge"]["nonce"], "signature": "0" * 128}})
        site.publish(bodies)
        return tried + len(bodies) + len(hosts)
    return way


def repositories(site: Site) -> int:
    """Names below io.github: the owner's file is requested from a name that flips."""
    bodies = [server_json(f"r{n}", f"https://{name('good')}/mcp?r{n}", name=f"io.github.adder/r{n}",
                          repository={"url": "https://github.com/adder/r", "source": "github"}) for n in range(10)]
    site.publish(bodies)
    return len(bodies)


def webhooks(site: Site) -> int:
    """Callback URLs: the registry supports none and calls none."""
    calls: list[tuple[str, Any]] = []
    for target in (*TARGETS, f"https://{name('good')}/hook"):
        config = {"url": target, "token": "t", "authentication": {"schemes": ["Bearer"]}}
        message = {"messageId": "w", "role": "user", "kind": "message", "parts": [{"kind": "text", "text": "what is live?"}]}
        calls += [
            ("/api/a2a", {"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {
                "message": message, "configuration": {"pushNotificationConfig": config}}}),
            ("/api/a2a", {"jsonrpc": "2.0", "id": 2, "method": "tasks/pushNotificationConfig/set",
                          "params": {"taskId": "t", "pushNotificationConfig": config}}),
            ("/api/products/checkout/webhook", {"type": "checkout.session.completed", "url": target,
                                                "data": {"object": {"success_url": target}}}),
            ("/api/products/checkout", {"sku": "alive", "success_url": target, "idempotency_key": "6a0e7f0c-2f5d-4a44-9a0e-6a7b1e1c9d10"}),
        ]
    site.all(calls)
    return len(calls)


def federation(site: Site) -> int:
    """Federation peers in the settings, whose names and redirects lead to private addresses; called as the operator."""
    answers = [site.as_operator("/api/products/federation", {"action": action}) for action in ("pull", "push") * 3]
    if any(code in (401, 403, 404, 405) for code in answers):
        raise Broken(f"the operator got {answers}")
    return len(answers)


def other_protocols(site: Site) -> int:
    """The same targets through MCP, A2A, and tools that read URLs in text."""
    calls: list[tuple[str, Any]] = []
    for n, target in enumerate((*TARGETS, f"https://{name('flips')}/mcp", f"https://{name('inside')}/mcp")):
        for tool, arguments in (("list_yourself", {"mcp_url": target}), ("score", {"url": target}), ("join_and_contribute", {"url": target})):
            calls.append(("/mcp", {"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}))
        for text in (f"what would {target} score?", f"list my server at {target}"):
            calls.append(("/api/a2a", {"jsonrpc": "2.0", "id": n, "method": "message/send", "params": {
                "message": {"messageId": f"d{n}", "role": "user", "kind": "message", "parts": [{"kind": "text", "text": text}]}}}))
        calls.append(("/api/products/agent", {"action": "one_click_demo", "url": target, "goals": target}))
        calls.append(("/api/ard/search", {"query": {"text": target}}))
    site.all(calls)
    time.sleep(2)
    return len(calls)


def later(turn: Callable[[str], None]) -> Callable[[Site], int]:
    """Listings that went Live on a public address, whose name then resolves to a private one: the registry does not follow it."""
    def way(site: Site) -> int:
        host = name("later")
        body = {"agent_card_url": f"https://{host}/.well-known/agent-card.json"}
        listed = [*site.publish([body, {"mcp_url": f"https://{host}/mcp"}])]
        if [status.get("lane") for status in listed] != ["active"] * 2:
            raise Broken(f"an honest peer did not go Live: {json.dumps(listed)[:2000]}")
        turn(host)
        for status in listed:
            for action in ({"action": "bind_identity"}, {"action": "manage_listing", "manage": "reprobe"}):
                site.call("/api/products/first-principles", {"listing_id": status["listing_id"], **action})
        site.scores([f"https://{host}/mcp", f"https://{host}/.well-known/agent-card.json"] * 3)
        site.all(("/api/publish", again) for again in (body, {"mcp_url": f"https://{host}/mcp"}))
        time.sleep(6)   # time for a sweep
        return 14
    return way


class Expected(Enum):
    """The expected effect of a way. Without it, a way that does nothing would pass."""
    PEER = "the public peer is reached"
    NAMES = "names are resolved, and no peer is reached"
    NOTHING = "no name is resolved and no peer is reached"
    ANY = "no expectation"

    def missed(self, questions: int, public: int) -> str:
        """The unmet expectation, or an empty text."""
        is_met = {Expected.PEER: public > 0, Expected.NAMES: questions > 0 and not public,
              Expected.NOTHING: not questions and not public, Expected.ANY: True}[self]
        return "" if is_met else f"expected: {self.value}"


@dataclass(frozen=True)
class Way:
    """One way."""
    name: str
    run: Callable[[Site], int]
    expected: Expected
    is_control: bool = True    # with an open guard it reaches the canary; otherwise it is refused before name resolution


def all_ways(turn: Callable[[str], None]) -> list[Way]:
    """All ways. `turn` makes the name of a host resolve to a private address from then on."""
    rebound = [
        Way(f"name: {description}", rebinding(label), Expected.PEER if public else Expected.NAMES, label in scripts.OPEN)
        for label, (description, _, public) in scripts.REBINDING.items()]
    return [
        Way("honest peers go Live", honest, Expected.PEER, False),
        Way("spellings of addresses", spelled, Expected.NOTHING, False),
        *rebound,
        Way("redirects 301 to 308, and chains", redirects, Expected.PEER),
        Way("agent cards: interfaces, jku, icons", below("card", "agent_card_url"), Expected.PEER),
        Way("event streams: endpoint", below("events", "mcp_url"), Expected.PEER, False),
        Way("challenges: resource_metadata", below("gate", "mcp_url"), Expected.PEER),
        Way("server.json: remotes, icons, variables", descriptions, Expected.PEER),
        Way("keys: TXT, well-known, key sets, DIDs", keys(turn), Expected.PEER),
        Way("repositories of names below io.github", repositories, Expected.PEER),
        Way("webhooks and push notifications", webhooks, Expected.NOTHING, False),
        Way("federation: pull and push", federation, Expected.PEER),
        Way("MCP, A2A, ARD and text", other_protocols, Expected.ANY),
        Way("Live first, then its name resolves to a private address", later(turn), Expected.PEER),
    ]
