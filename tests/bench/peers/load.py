"""Sends requests over connections that stay open: each connection sends the next request after the last answer.

It does little work itself, so that it measures the server. Every connection has its own process, because the interpreter's
lock would slow down several connections in one process.
"""
import multiprocessing
import re
import selectors
import socket
import time
from dataclasses import dataclass, field

TIMEOUT_S = 60
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
CHUNKED = re.compile(rb"\r\ntransfer-encoding: *chunked", re.IGNORECASE)
EMPTY_ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"
FORK = multiprocessing.get_context("fork")


class WrongAnswer(Exception):
    """A wrong answer of a server, or no answer."""


@dataclass(frozen=True)
class Target:
    """The requests, and the expected status."""
    address: tuple
    requests: tuple
    status: int = 200
    again: bool = True    # the requests may be sent more than once


@dataclass
class Timings:
    """The seconds of every answer, the bytes of one body, and the total time."""
    seconds: list = field(default_factory=list)
    bytes: int = 0
    elapsed: float = 0.0

    def rate(self):
        return len(self.seconds) / self.elapsed

    def quantile(self, part):
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(len(ordered) * part))]


class Connection:
    def __init__(self, address):
        self.socket = socket.create_connection(address, timeout=TIMEOUT_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self, request):
        """The status and the body."""
        self.socket.sendall(request)
        held = self._more()
        while (end := held.find(b"\r\n\r\n")) < 0:
            held += self._more()
        head, body = held[:end], [held[end + 4:]]
        if length := LENGTH.search(head):
            wanted = int(length[1]) - len(body[0])
            while wanted > 0:
                body.append(self._more())
                wanted -= len(body[-1])
        elif CHUNKED.search(head):
            held = body[0]
            while not held.endswith(b"\r\n0\r\n\r\n") and held != b"0\r\n\r\n":
                held += self._more()
            body = _chunks(held)
        return int(head[9:12]), b"".join(body)

    def _more(self):
        got = self.socket.recv(1 << 18)
        if not got:
            raise WrongAnswer("the server closed the connection")
        return got


def _chunks(held):
    at = 0
    while size := int(held[at:(begins := held.index(b"\r\n", at) + 2)].split(b";")[0], 16):
        yield held[begins:begins + size]
        at = begins + size + 2


def get(path, host):
    return f"GET {path} HTTP/1.1\r\nhost: {host[0]}:{host[1]}\r\naccept: application/json\r\n\r\n".encode()


def post(path, host, body, headers=""):
    head = (f"POST {path} HTTP/1.1\r\nhost: {host[0]}:{host[1]}\r\naccept: application/json\r\n{headers}"
            f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n")
    return head.encode() + body


def _loop(job):
    """The requests of one connection: start and end, the seconds of each answer, the bytes of the last, or a fault as text."""
    target, seconds = job
    try:
        connection = Connection(target.address)
        timings, size, at = [], 0, 0
        begun = now = time.monotonic()
        while now < begun + seconds and (target.again or at < len(target.requests)):
            status, body = connection.ask(target.requests[at % len(target.requests)])
            if status != target.status:
                raise WrongAnswer(f"{status} instead of {target.status}: {body[:300].decode(errors='replace')}")
            asked, now = now, time.monotonic()
            timings.append(now - asked)
            size, at = len(body), at + 1
        return begun, now, timings, size
    except (OSError, WrongAnswer) as error:
        return f"{target.requests[0].split(b' HTTP')[0].decode()}: {error}"


def take(pool, timings, target, connections, seconds):
    """Sends the requests over this many connections for this many seconds, and adds the timings to `timings`."""
    shares = [target.requests[at:] + target.requests[:at] if target.again else target.requests[at::connections]
              for at in range(connections)]
    parts = [Target(target.address, share, target.status, target.again) for share in shares]
    answered = pool.map(_loop, [(part, seconds) for part in parts], chunksize=1)
    if wrong := [part for part in answered if isinstance(part, str)]:
        raise WrongAnswer(wrong[0])
    timings.elapsed += max(part[1] for part in answered) - min(part[0] for part in answered)
    for _, _, seconds_each, size in answered:
        timings.seconds += seconds_each
        timings.bytes = size or timings.bytes


def serve_empty_answers():
    """A server with empty answers in a separate process. Its rate is the highest that the client can reach."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    process = FORK.Process(target=_answer_empty, args=(listener,), daemon=True)
    process.start()
    return process, listener.getsockname()


def _answer_empty(listener):
    with selectors.DefaultSelector() as ready:
        ready.register(listener, selectors.EVENT_READ)
        while True:
            for key, _ in ready.select():
                if key.fileobj is listener:
                    stream = listener.accept()[0]
                    stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    ready.register(stream, selectors.EVENT_READ)
                elif key.fileobj.recv(1 << 16):
                    key.fileobj.sendall(EMPTY_ANSWER)
                else:
                    ready.unregister(key.fileobj)
                    key.fileobj.close()
