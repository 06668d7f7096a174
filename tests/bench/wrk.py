"""Starts the registry, and measures its endpoint with wrk (https://github.com/wg/wrk)."""
import http.client
import json
import os
import re
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

SCRIPT = Path(__file__).with_name("requests.lua")
ADDRESS = re.compile(r"http://(127\.0\.0\.1:[1-9][0-9]*)\n")
# the rate limits are counted as usual, and are too high to refuse a request
SETTINGS = {"PORT": "0", "RATE_LIMITS": "1000000", "LIST_ITSELF": "off", "NAME_PROOFS": "github=off", "DNS_SERVER": "off",
            "PROBE_WINDOW_CAP": "100000", "PROBE_HOURLY_CAP": "1000000", "OUTREACH_BUDGET_PERCENT": "0", "RUST_LOG": "info",
            "RECHECK_DAYS": "1"}  # no proof is renewed during a measurement


class Server:
    """A registry with a data file, in its own process."""

    def __init__(self, binary, data, **settings):
        self.began = time.monotonic()
        self.process = subprocess.Popen([binary], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        text=True, env={"DATA": str(data), **SETTINGS, **settings})
        printed = next((address for line in self.process.stdout if (address := ADDRESS.search(line))), None)
        if not printed:
            raise SystemExit(f"bench: the registry ended with exit code {self.process.wait()}")
        self.address, self.base = printed[1], f"http://{printed[1]}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def memory(self, name="VmRSS"):
        """The resident memory in MB; "VmHWM": its peak."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{name}:\s*(\d+) kB", status)[1]) * 1024 / 1e6


@dataclass
class Target:
    """Requests (method, path, body, headers), or a function that returns them before each round."""
    name: str
    requests: object
    status: int = 200
    once: bool = False           # no request is sent twice
    used: int = 0
    rounds: list = field(default_factory=list)
    bytes: int = 0               # the length of a body

    def take(self, server, connections, seconds, rate=0):
        """Measures one round, after the first requests have been checked."""
        requests = self.requests() if callable(self.requests) else self.requests
        bodies = [self.check(server, requests[(self.used + n) % len(requests)]) for n in range(3)]
        self.used, self.bytes = self.used + 3, sum(bodies) // 3
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"\0".join(raw(server.address, *request) for request in requests))
            file.flush()
            done = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", "-s", SCRIPT, server.base,
                                   "--", file.name, str(self.used), str(rate)], capture_output=True, text=True, check=True)
        result = json.loads(done.stdout.splitlines()[-1])
        self.used = result["sent"]
        if self.once and self.used > len(requests):
            raise SystemExit(f"bench: {self.name} needs more than {len(requests)} requests")
        if result["errors"] and not rate:
            raise SystemExit(f"bench: {self.name}: {done.stdout}")
        self.rounds.append(result)
        return result

    def check(self, server, request):
        """Sends a request. Returns the length of the body."""
        method, path, body, headers = request
        connection = http.client.HTTPConnection(server.address, timeout=30)
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        text = response.read()
        connection.close()
        if response.status != self.status:
            raise SystemExit(f"bench: {self.name}: {method} {path}: {response.status} {text[:300]}")
        return len(text)

    def rate(self):
        return median(result["requests"] / result["seconds"] for result in self.rounds)

    def ms(self, name="p50"):
        return median(result[name] for result in self.rounds)


def raw(address, method, path, body, headers):
    head = {"host": address, **headers, **({"content-length": len(body.encode())} if body else {})}
    lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
    return f"{method} {path} HTTP/1.1\r\n{lines}\r\n{body or ''}".encode()


def get(path, **headers):
    return "GET", path, None, {name.replace("_", "-"): value for name, value in headers.items()}


def post(path, body):
    return "POST", path, json.dumps(body), {"content-type": "application/json"}
