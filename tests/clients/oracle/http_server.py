"""A small HTTP/1.1 server that lets a behavior choose every byte of a response, which http.server does not."""
import asyncio
import gzip
import json
from dataclasses import dataclass, field

HELD_SECONDS = 20  # longer than every client and probe waits


@dataclass
class Ask:
    """One request, with what its path selects."""
    verb: str
    target: str
    headers: dict          # names in lower case
    body: bytes
    origin: str = ""       # of this server
    prefix: str = ""       # the path up to and including the names of the behaviors
    rest: str = ""         # the path after them
    base: str = ""         # protocol revision
    hooks: dict = field(default_factory=dict)
    state: dict = field(default_factory=dict)  # shared by all requests with this prefix

    @property
    def message(self):
        try:
            message = json.loads(self.body)
        except ValueError:
            return {}
        return message if isinstance(message, dict) else {}

    @property
    def rpc(self):
        return self.message.get("method", "")

    @property
    def params(self):
        return self.message.get("params") or {}

    @property
    def url(self):
        return self.origin + self.prefix


@dataclass
class Reply:
    """One response. `message` is the JSON of the body; `text` replaces it with bytes."""
    status: int = 200
    message: object = None
    text: bytes = None
    type: str = "application/json"
    headers: dict = field(default_factory=dict)
    framing: str = "length"   # or "chunked", or "close": the body ends with the connection
    gzip: bool = False
    rewrite: object = None    # (bytes of the body) -> bytes
    version: str = "HTTP/1.1"
    informational: str = ""   # a response before this one
    pieces: int = 1           # the body is written in so many pieces, with a pause between them
    close: bool = False
    held: bool = False        # the body does not end
    silent: bool = False      # no byte is sent
    # event streams
    stream: bool = False
    eol: str = "\n"
    start: str = ""           # before the event with the message
    event: str = "event: message\n"
    split: bool = False       # the message is on several data lines
    finish: str = "\n"        # the end of the event
    after: str = ""
    bom: bool = False

    def body(self):
        if self.text is not None:
            return self.text
        if self.message is None:
            return b""
        mark = b"\xef\xbb\xbf" if self.bom else b""
        if not self.stream:
            return mark + json.dumps(self.message).encode()
        data = json.dumps(self.message, indent=1 if self.split else None)
        lines = "".join(f"data: {line}\n" for line in data.split("\n"))
        text = self.start + self.event + lines + self.finish + self.after
        return mark + text.replace("\n", self.eol).encode()


async def _read(reader):
    line = (await reader.readline()).decode("latin-1").split()
    if len(line) != 3:
        return None
    headers = {}
    while (header := (await reader.readline()).decode("latin-1").strip()):
        name, _, value = header.partition(":")
        headers[name.strip().lower()] = value.strip()
    body = await reader.readexactly(int(headers.get("content-length") or 0))
    if headers.get("transfer-encoding", "").lower() == "chunked":
        while (size := int((await reader.readline()).split(b";")[0], 16)):
            body += await reader.readexactly(size)
            await reader.readline()
        await reader.readline()
    return Ask(line[0], line[1], headers, body)


async def _write(writer, reply, verb):
    body = reply.rewrite(reply.body()) if reply.rewrite else reply.body()
    headers = dict(reply.headers)
    if body and reply.type:
        headers.setdefault("Content-Type", "text/event-stream" if reply.stream and reply.type == "application/json" else reply.type)
    if reply.gzip and body:
        body, headers["Content-Encoding"] = gzip.compress(body), "gzip"
    framing = "chunked" if reply.held and reply.framing == "length" else reply.framing
    if framing == "length" and reply.status not in (204, 304):
        headers["Content-Length"] = str(len(body))
    elif framing == "chunked":
        headers["Transfer-Encoding"] = "chunked"
    if framing == "close" or reply.close:
        headers["Connection"] = "close"
    writer.write(f"{reply.informational}{reply.version} {reply.status} Status\r\n".encode() + b"".join(
        f"{name}: {value}\r\n".encode("latin-1") for name, value in headers.items()) + b"\r\n")
    if verb == "HEAD":
        return
    size = max(1, -(-len(body) // reply.pieces))
    for at in range(0, len(body), size):
        piece = body[at:at + size]
        writer.write(b"%x\r\n%s\r\n" % (len(piece), piece) if framing == "chunked" else piece)
        await writer.drain()
        if reply.pieces > 1:
            await asyncio.sleep(0.02)
    if reply.held:
        await writer.drain()
        return
    if framing == "chunked":
        writer.write(b"0\r\n\r\n")
    await writer.drain()


async def serve(answer):
    """Serves `answer(ask) -> Reply` on a free port of 127.0.0.1. Returns the server and its origin."""
    async def connection(reader, writer):
        try:
            while (ask := await _read(reader)):
                ask.origin = origin
                reply = answer(ask)
                if not reply.silent:
                    await _write(writer, reply, ask.verb)
                if (reply.silent or reply.held) and not reply.close:
                    await asyncio.wait_for(reader.read(), HELD_SECONDS)
                ends = reply.silent or reply.held or reply.close or reply.framing == "close"
                if ends or ask.headers.get("connection", "").lower() == "close":
                    break
        except (OSError, ValueError, asyncio.IncompleteReadError, asyncio.TimeoutError, asyncio.LimitOverrunError):
            pass  # the client has gone
        finally:
            writer.close()

    server = await asyncio.start_server(connection, "127.0.0.1", 0)
    origin = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    return server, origin
