"""A closed loop of requests over kept-alive connections: bytes out, bytes in, so that what is measured is the server.

Every connection is a process of its own: in one process the interpreter's lock would stand between them.
"""
import multiprocessing
import re
import selectors
import socket
import time
from dataclasses import dataclass, field

PATIENCE_S = 60
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
CHUNKED = re.compile(rb"\r\ntransfer-encoding: *chunked", re.IGNORECASE)
EMPTY_ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"
FORK = multiprocessing.get_context("fork")


class Wrong(Exception):
    """A server answers what it should not, or not at all."""


@dataclass(frozen=True)
class Target:
    """What is asked, and the status that is right."""
    address: tuple
    requests: tuple
    status: int = 200
    again: bool = True    # the requests may be sent more than once


@dataclass
class Taken:
    """Seconds of every answer, bytes of one body, and the time that all took."""
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
        self.socket = socket.create_connection(address, timeout=PATIENCE_S)
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
            raise Wrong("the server closed the connection")
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
    """One connection's part: begun and ended when, the seconds of each answer, the bytes of the last; or what is wrong."""
    target, seconds = job
    try:
        connection = Connection(target.address)
        taken, size, at = [], 0, 0
        begun = now = time.monotonic()
        while now < begun + seconds and (target.again or at < len(target.requests)):
            status, body = connection.ask(target.requests[at % len(target.requests)])
            if status != target.status:
                raise Wrong(f"{status} instead of {target.status}: {body[:300].decode(errors='replace')}")
            asked, now = now, time.monotonic()
            taken.append(now - asked)
            size, at = len(body), at + 1
        return begun, now, taken, size
    except (OSError, Wrong) as error:
        return f"{target.requests[0].split(b' HTTP')[0].decode()}: {error}"


def take(pool, taken, target, connections, seconds):
    """Asks for so long over so many connections at once, and adds what it took to `taken`."""
    shares = [target.requests[at:] + target.requests[:at] if target.again else target.requests[at::connections]
              for at in range(connections)]
    parts = [Target(target.address, share, target.status, target.again) for share in shares]
    answered = pool.map(_loop, [(part, seconds) for part in parts], chunksize=1)
    if wrong := [part for part in answered if isinstance(part, str)]:
        raise Wrong(wrong[0])
    taken.elapsed += max(part[1] for part in answered) - min(part[0] for part in answered)
    for _, _, seconds_each, size in answered:
        taken.seconds += seconds_each
        taken.bytes = size or taken.bytes


def serve_nothing():
    """A server of empty answers in a process of its own: what it is asked at is the client's own ceiling."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    process = FORK.Process(target=_answer_nothing, args=(listener,), daemon=True)
    process.start()
    return process, listener.getsockname()


def _answer_nothing(listener):
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
