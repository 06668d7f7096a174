#!/usr/bin/env python3
"""The canary listens on addresses to which a public registry must never connect. It records every connection in a file.

It is a separate process, so that its connections are not mixed with connections of the registry or the peers:

    canary.py FILE ADDRESS PORT[,PORT...] [ADDRESS PORTS ...]     prints "ready" when it listens everywhere
"""
import asyncio
import sys
from pathlib import Path


async def main(file: Path, places: list[tuple[str, int]]) -> None:
    notes = file.open("a", buffering=1)

    def visited(address: str, port: int):
        async def note(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            notes.write(f"{address} {port}\n")
            try:
                await asyncio.wait_for(reader.read(4096), 0.5)
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}")
                await writer.drain()
            except (OSError, TimeoutError):
                pass
            writer.close()
        return note
    servers = [await asyncio.start_server(visited(address, port), address, port) for address, port in places]
    print("ready", flush=True)
    await asyncio.gather(*(server.serve_forever() for server in servers))


if __name__ == "__main__":
    pairs = zip(sys.argv[2::2], sys.argv[3::2])
    asyncio.run(main(Path(sys.argv[1]), [(address, int(port)) for address, ports in pairs for port in ports.split(",")]))
