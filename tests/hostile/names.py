"""A name server with scripted answers. In a DNS rebinding attack, the answer changes between two queries.

Each name has a list of steps. The first query of a type gets the first step, the second query gets the second step, and so
on. Later queries get the last step. If the name flips, later queries start again with the first step. A name without a
script does not exist. The server uses UDP, and TCP for long answers. It needs only the standard library.
"""
import ipaddress
import socket
import struct
import threading
import time
from collections import Counter
from dataclasses import dataclass, field

A, CNAME, TXT, AAAA = 1, 5, 16, 28
NO_SUCH_NAME = 3


@dataclass(frozen=True)
class Step:
    """One answer."""
    a: tuple[str, ...] = ()
    aaaa: tuple[str, ...] = ()
    cname: str = ""
    txt: tuple[str, ...] = ()
    delay: float = 0          # seconds before the reply
    none: bool = False        # no such name


@dataclass(frozen=True)
class Script:
    steps: tuple[Step, ...]
    flips: bool = False

    def step(self, asked: int) -> Step:
        """The answer to a query that was sent `asked` times before."""
        if self.flips:
            return self.steps[asked % len(self.steps)]
        return self.steps[min(asked, len(self.steps) - 1)]


@dataclass
class Zone:
    """The scripts by name, and the number of queries of each name. `*.` matches one label."""
    scripts: dict[str, Script]
    asked: Counter[tuple[str, int]] = field(default_factory=Counter)
    questions: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def restart(self) -> None:
        """Restarts each script at its first step."""
        with self.lock:
            self.asked.clear()

    def answer(self, name: str, kind: int) -> Step:
        name = name.lower()
        script = self.scripts.get(name) or self.scripts.get("*." + name.partition(".")[2])
        with self.lock:
            before = self.asked[(name, kind)]
            self.asked[(name, kind)] += 1
            self.questions += 1
        return script.step(before) if script else Step(none=True)


def packed(name: str) -> bytes:
    labels = (label.encode() for label in name.rstrip(".").split(".") if label)
    return b"".join(bytes([len(label)]) + label for label in labels) + b"\0"


def record(name: str, kind: int, data: bytes) -> bytes:
    return packed(name) + struct.pack("!HHIH", kind, 1, 0, len(data)) + data   # a TTL of 0


def records(zone: Zone, name: str, kind: int, depth: int = 0) -> tuple[list[bytes], bool]:
    """The records for a query, with its aliases, and whether the name exists."""
    step = zone.answer(name, kind)
    if step.delay:
        time.sleep(step.delay)
    if step.none:
        return [], False
    if step.cname and depth < 8:
        rest, exists = records(zone, step.cname, kind, depth + 1)
        return [record(name, CNAME, packed(step.cname)), *rest], exists
    texts = [bytes([len(text)]) + text.encode() for text in step.txt] if kind == TXT else []
    addresses = step.a if kind == A else step.aaaa if kind == AAAA else ()
    return [record(name, kind, data) for data in [*texts, *(ipaddress.ip_address(one).packed for one in addresses)]], True


def reply(zone: Zone, question: bytes, most: int) -> bytes:
    """The reply to a query; truncated, with the TC flag, if it is longer than `most`."""
    at, labels = 12, []
    while question[at]:
        labels.append(question[at + 1:at + 1 + question[at]].decode(errors="replace"))
        at += 1 + question[at]
    kind = struct.unpack("!H", question[at + 1:at + 3])[0]
    found, exists = records(zone, ".".join(labels), kind)
    flags = 0x8580 | (0 if exists else NO_SUCH_NAME)
    body = question[12:at + 5] + b"".join(found)
    if 12 + len(body) > most:
        flags, found, body = flags | 0x0200, [], question[12:at + 5]
    return question[:2] + struct.pack("!HHHHH", flags, 1, len(found), 0, 0) + body


def serve(zone: Zone, address: str) -> None:
    """Serves port 53 of the address, in threads of this process."""
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind((address, 53))
    tcp = socket.create_server((address, 53))

    def one(question: bytes, sender: tuple[str, int]) -> None:
        udp.sendto(reply(zone, question, 512), sender)

    def datagrams() -> None:
        while True:
            question, sender = udp.recvfrom(4096)
            threading.Thread(target=one, args=(question, sender), daemon=True).start()

    def stream(connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as reader:
            while len(length := reader.read(2)) == 2:
                answer = reply(zone, reader.read(struct.unpack("!H", length)[0]), 65_535)
                connection.sendall(struct.pack("!H", len(answer)) + answer)

    def streams() -> None:
        while True:
            threading.Thread(target=stream, args=(tcp.accept()[0],), daemon=True).start()
    for loop in (datagrams, streams):
        threading.Thread(target=loop, daemon=True).start()
