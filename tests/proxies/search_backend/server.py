"""Runs the Chroma server on a port of this machine: `server.py FOLDER PORT`.

The server is a Rust library in the wheel of Chroma. So none of the Python packages on which the wheel depends is needed.
"""

import sys

import chromadb_rust_bindings

folder, port = sys.argv[1:]
chromadb_rust_bindings.cli(["chroma", "run", "--path", folder, "--host", "127.0.0.1", "--port", port])
