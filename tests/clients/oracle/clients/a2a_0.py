"""Sends a message to A2A agents with a2a-sdk 0.3, over the interface that the card prefers."""
import httpx
from a2a.client import ClientConfig, ClientFactory, create_text_message_object
from lines import run


async def send(site, streaming):
    async with httpx.AsyncClient(verify=False, timeout=30) as http:
        config = ClientConfig(streaming=streaming, httpx_client=http, supported_transports=["JSONRPC", "HTTP+JSON"])
        client = await ClientFactory.connect(site, config)
        answers = [answer async for answer in client.send_message(create_text_message_object(content="hello"))]
    return "task" if isinstance(answers[-1], tuple) else answers[-1].kind


async def use(site):
    try:
        return {"answer": await send(site, False)}
    except Exception as error:  # the agent may only stream
        try:
            return {"answer": await send(site, True)}
        except Exception:
            raise error


run(use)
