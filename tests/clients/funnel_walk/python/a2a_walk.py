"""Walks the funnel with the official A2A client of Python.

The first message publishes the peer: it is an example from the registry's card. After that, each answer contains the next
message to send.

Arguments: the registry's base URL, the peer's URL, and how to find the next message. With `data`, the `next` object of the
answer is sent back unchanged as a data part. With `words`, the next message is read from the text of the answer. Each
message is printed as a line of JSON with its answer.
"""
import asyncio
import json
import re
import sys

import httpx
from a2a.client import A2ACardResolver, ClientConfig, create_client
from a2a.helpers.proto_helpers import new_data_part, new_message, new_text_part
from a2a.types.a2a_pb2 import Role, SendMessageRequest
from google.protobuf.json_format import MessageToDict

MOST_CALLS = 20


def first_text(card, peer):
    """The card's own example of listing, with the peer's URL in it."""
    skill = next(skill for skill in card.skills if skill.id == "list-yourself")
    return re.sub(r"https?://\S+", peer, skill.examples[0])


def parts_of(answer):
    """The text and the data of an answer, which is a message or a task with its artifact or its status."""
    if answer.WhichOneof("payload") == "message":
        parts = answer.message.parts
    else:
        parts = answer.task.artifacts[0].parts if answer.task.artifacts else answer.task.status.message.parts
    kinds = {part.WhichOneof("content"): part for part in parts}
    return kinds["text"].text, whole(MessageToDict(kinds["data"].data))


def whole(value):
    """The value with whole numbers as integers: this SDK has only floating-point numbers in data parts."""
    if isinstance(value, dict):
        return {name: whole(member) for name, member in value.items()}
    if isinstance(value, list):
        return [whole(member) for member in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def following(text, data, way):
    """The next message: `(seconds to wait, part)`, or None if the answer names none."""
    if way == "data":
        step = data.get("next")
        return step and (step.get("wait_s", 0), new_data_part(step))
    found = re.search(r' Say: "([^"]+)"$', text) or re.search(r" Send: (\{.*\})$", text)
    return found and (data.get("next", {}).get("wait_s", 0), new_text_part(found[1]))


async def main(base, peer, way):
    # The default of this SDK is five seconds, which is too short for a busy machine.
    http = httpx.AsyncClient(timeout=30)
    config = ClientConfig(streaming=False, supported_protocol_bindings=["JSONRPC", "HTTP+JSON"], httpx_client=http)
    card = await A2ACardResolver(http, base).get_agent_card()
    async with await create_client(card, config) as client:
        async def send(part):
            message = new_message([part], role=Role.ROLE_USER)
            answers = [answer async for answer in client.send_message(SendMessageRequest(message=message))]
            text, data = parts_of(answers[-1])
            sent = part.text or whole(MessageToDict(part.data))
            print(json.dumps({"call": "message/send", "sent": sent, "text": text, "answer": data}), flush=True)
            assert data["ok"] is True, text
            return text, data

        part = new_text_part(first_text(card, peer))
        for _ in range(MOST_CALLS):
            text, data = await send(part)
            step = following(text, data, way)
            if step is None:
                # The last answer is the tree. The note before it explained how to get it as an archive.
                await send(new_data_part({"tool": data["operation"], "arguments": {**data["arguments"], "format": "zip"}}))
                return
            await asyncio.sleep(step[0])
            part = step[1]
    raise AssertionError(f"not finished after {MOST_CALLS} messages")


asyncio.run(main(*sys.argv[1:]))
