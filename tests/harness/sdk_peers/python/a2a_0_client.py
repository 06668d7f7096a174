"""Sends a message to an agent with a2a-sdk 0.3, over the transport that the agent's card prefers."""
import asyncio
import sys

from a2a.client import ClientConfig, ClientFactory, create_text_message_object


async def main(site):
    config = ClientConfig(streaming=False, supported_transports=["JSONRPC", "HTTP+JSON"])
    client = await ClientFactory.connect(site, config)
    answers = [answer async for answer in client.send_message(create_text_message_object(content="hello"))]
    assert "I heard: hello" in str(answers[-1]), answers
    print("task" if isinstance(answers[-1], tuple) else "message")


asyncio.run(main(sys.argv[1]))
