"""Sends a message to A2A agents with a2a-sdk 1.x, over the interface that the card prefers."""
import httpx
from a2a.client import ClientConfig, create_client
from a2a.helpers.proto_helpers import new_text_message
from a2a.types.a2a_pb2 import Role, SendMessageRequest
from lines import run


async def send(site, streaming):
    async with httpx.AsyncClient(verify=False, timeout=30) as http:
        config = ClientConfig(streaming=streaming, httpx_client=http, supported_protocol_bindings=["JSONRPC", "HTTP+JSON"])
        async with await create_client(site, config) as client:
            request = SendMessageRequest(message=new_text_message("hello", role=Role.ROLE_USER))
            answers = [answer async for answer in client.send_message(request)]
    return answers[-1].WhichOneof("payload")


async def use(site):
    try:
        answer = await send(site, False)
    except Exception as error:  # the agent may only stream
        try:
            answer = await send(site, True)
        except Exception:
            raise error
    if not answer:
        raise ValueError("the answer is neither a message nor a task")
    return {"answer": answer}


run(use)
