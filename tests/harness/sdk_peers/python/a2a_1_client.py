"""Sends a message to an agent with a2a-sdk 1.x, over the transport that the agent's card prefers."""
import asyncio
import sys

from a2a.client import ClientConfig, create_client
from a2a.helpers.proto_helpers import new_text_message
from a2a.types.a2a_pb2 import Role, SendMessageRequest


async def main(site):
    config = ClientConfig(streaming=False, supported_protocol_bindings=["JSONRPC", "HTTP+JSON"])
    async with await create_client(site, config) as client:
        message = new_text_message("hello", role=Role.ROLE_USER)
        answers = [answer async for answer in client.send_message(SendMessageRequest(message=message))]
        assert "I heard: hello" in str(answers[-1]), answers
        print(answers[-1].WhichOneof("payload"))


asyncio.run(main(sys.argv[1]))
