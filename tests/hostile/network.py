#!/usr/bin/env python3
"""Runs the release binary in public mode in a network namespace.

The namespace contains a name server, peers on public addresses, and the canary on private addresses. `run` starts this
program. It tries each way in which the registry could be made to connect to a private address. For each way, it prints a
JSON row with the guarantees that were broken.

    unshare --map-root-user --net --mount network.py BINARY FOLDER
"""
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import authority  # noqa: E402
import names  # noqa: E402
import peer  # noqa: E402
import scripts  # noqa: E402
import ways  # noqa: E402

NAME_SERVER = "127.0.0.53"
PUBLIC = (scripts.PUBLIC, scripts.PUBLIC_TOO, scripts.PUBLIC_SIX)
READY_SECONDS = 60
ADDRESS = re.compile(r"^  (http://127\.0\.0\.1:[1-9][0-9]*)\n", re.MULTILINE)
SETTINGS = {
    "LIST_ITSELF": "off", "PROBE_TICK_SECONDS": "5", "PROBE_WINDOW_CAP": "100000",
    "PROBE_HOURLY_CAP": "100000", "CALLER_REQUESTS_PER_SECOND": "1000", "RATE_LIMITS": "200000",
    "OPERATOR_TOKEN": ways.TOKEN, "RUST_LOG": "error",
    "FEDERATION_PEERS": ",".join(f"https://{scripts.name(label)}" for label in (
        "federated", "moved-0", "moved-1", "moved-2", "flips", "both", "alias", "six-and-four", "zero")),
}


def shell(*command: str) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def set_up(folder: Path) -> None:
    """Adds addresses to the loopback device, and makes the test's name server the name server of the system."""
    shell("ip", "link", "set", "lo", "up")
    for address in (*PUBLIC, *scripts.PRIVATE, *scripts.PRIVATE_SIX):
        if not address.startswith("127.") and address != "::1":
            shell("ip", "address", "add", f"{address}/{128 if ':' in address else 32}", "dev", "lo", *(
                ["nodad"] if ":" in address else []))
    (folder / "resolv.conf").write_text(f"nameserver {NAME_SERVER}\noptions timeout:5 attempts:2\n")
    shell("mount", "--bind", str(folder / "resolv.conf"), "/etc/resolv.conf")


class Canary:
    """The process of the canary, and its recorded connections."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / f"canary-{os.getpid()}.txt"     # separate from other runs
        self.file.write_text("")
        ports = ",".join(map(str, scripts.CANARY_PORTS))
        self.places = [(address, port) for address in (*scripts.PRIVATE, *scripts.PRIVATE_SIX) for port in scripts.CANARY_PORTS]
        self.process = subprocess.Popen(
            [sys.executable, HERE / "canary.py", self.file, *(part for address in (*scripts.PRIVATE, *scripts.PRIVATE_SIX)
                                                              for part in (address, ports))], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout and self.process.stdout.readline().strip() == "ready", "the canary does not listen"

    def visits(self) -> int:
        return len(self.file.read_text().splitlines())

    def check(self) -> int:
        """Connects to every place of the canary; returns their number. Fails if it does not record all of them."""
        before = self.visits()
        for place in self.places:
            socket.create_connection(place, 5).close()
        time.sleep(0.5)
        if self.visits() - before != len(self.places):
            raise SystemExit("hostile: the canary does not record all connections")
        return len(self.places)


def careless(zone: names.Zone) -> int:
    """A client that checks a name's address and resolves it again to connect, which the scripts exploit."""
    tried = 0
    for label in scripts.REBINDING:
        if label in ("late", "slow", "slow-then"):
            continue
        for _ in range(2):
            tried += 1
            try:
                answers = socket.getaddrinfo(scripts.name(label), 443, type=socket.SOCK_STREAM)
                for *_, place in answers:
                    if place[0] not in PUBLIC and place[0] not in scripts.MANY:
                        socket.create_connection(place[:2], 2).close()
            except OSError:
                pass
    zone.restart()
    return tried


def settle(zone: names.Zone) -> None:
    """Waits until the registry's own work after its start is done: no DNS query for two seconds."""
    asked, quiet = -1, time.monotonic()
    while time.monotonic() - quiet < 2:
        if zone.questions != asked:
            asked, quiet = zone.questions, time.monotonic()
        time.sleep(0.1)


def start(binary: Path, log: Path, public: bool) -> tuple[subprocess.Popen[bytes], str]:
    settings = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")} | SETTINGS
    with log.open("wb") as output:
        process = subprocess.Popen([binary, "--port", "0", "--data", ":memory:"], stdout=output, stderr=subprocess.STDOUT,
                                   env=settings | ({"PUBLIC": "1"} if public else {"RATE_LIMITS": "off"}))
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if address := ADDRESS.search(log.read_text(errors="replace")):
            return process, address[1]
        time.sleep(0.1)
    raise SystemExit(f"hostile: the registry did not start: {log.read_text(errors='replace')}")


def main() -> int:
    binary, folder = Path(sys.argv[1]), Path(sys.argv[2])
    set_up(folder)
    zone = names.Zone(scripts.zone())
    names.serve(zone, NAME_SERVER)
    chain, key = authority.certificates(folder, [f"*.{scripts.DOMAIN}", "raw.githubusercontent.com"])
    moved = {scripts.name(f"moved-{n}"): target for n, target in enumerate(scripts.TARGETS)}
    peer.serve(list(PUBLIC), moved, chain, key)
    canary = Canary(folder)
    processes: list[subprocess.Popen[bytes]] = []
    broken = 0

    def row(way: str, run: Callable[[], int], expected: ways.Expected, touched: bool = False) -> None:
        nonlocal broken
        asked, reached, visits, began = zone.questions, peer.Peer.connections, canary.visits(), time.monotonic()
        attempts, why = 0, ""
        try:
            attempts = run()
        except ways.Broken as broke:
            why = str(broke)
        time.sleep(0.3)
        counts = {"questions": zone.questions - asked, "public": peer.Peer.connections - reached,
                  "canary": canary.visits() - visits}
        if counts["canary"] and not touched:
            why = "A CONNECTION REACHED THE CANARY"
        elif touched and not counts["canary"]:
            why = why or "no connection reached the canary"
        else:
            why = why or expected.missed(counts["questions"], counts["public"])
        broken += bool(why)
        print(json.dumps({"way": way, "attempts": attempts, "seconds": time.monotonic() - began, "why": why, **counts}), flush=True)

    def turn(host: str) -> None:
        zone.scripts[host] = scripts.always(scripts.INSIDE)

    try:
        row("control: each place of the canary", canary.check, ways.Expected.NOTHING, True)
        row("control: a careless client, by name", lambda: careless(zone), ways.Expected.NAMES, True)
        development, base = start(binary, folder / "development.log", False)
        processes.append(development)
        settle(zone)
        site = ways.Site(base)
        urls = [f"http://127.0.0.2:{port}/mcp" for port in (80, 8000)] + ["http://127.0.0.1:9200/", "http://[::1]:8000/"]
        row("control: development mode, loopback", lambda: len(site.scores(urls)), ways.Expected.NOTHING, True)
        development.terminate()
        development.wait(10)
        trusting = authority.trusting_copy(binary, folder)
        only = os.environ.get("HOSTILE_ONLY", "")
        for opened in (False, True):
            zone.scripts = scripts.zone()
            zone.restart()
            peer.Peer.moved = dict(moved)
            log = folder / f"registry{'-opened' * opened}.log"
            registry, base = start(authority.opened_copy(trusting) if opened else trusting, log, True)
            processes.append(registry)
            settle(zone)
            for way in ways.all_ways(turn):
                if only in way.name and (not opened or way.is_control):
                    name = f"control: open guard, {way.name}" if opened else way.name
                    row(name, partial(way.run, ways.Site(base)), ways.Expected.ANY if opened else way.expected, opened)
            if registry.poll() is not None:
                raise SystemExit(f"hostile: the registry ended with {registry.returncode}; its log is {log}")
            registry.terminate()
            registry.wait(30)
        row("control: the canary still records", canary.check, ways.Expected.NOTHING, True)
    finally:
        for process in [*processes, canary.process]:
            process.send_signal(signal.SIGTERM)
        canary.file.unlink()
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
