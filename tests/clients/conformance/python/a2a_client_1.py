"""Verifies the signature of the registry's card with a2a-sdk 1.x.

Then uses the registry over the binding in the arguments (JSON-RPC or REST).
"""
import asyncio
import json
import sys
from urllib.request import urlopen

from a2a.client import ClientConfig, create_client
from a2a.helpers.proto_helpers import new_text_message
from a2a.types.a2a_pb2 import (CancelTaskRequest, GetTaskRequest, ListTasksRequest, Role, SendMessageConfiguration,
                               SendMessageRequest, TaskState)
from a2a.utils.errors import TaskNotCancelableError, TaskNotFoundError
from a2a.utils.signing import create_signature_verifier
from jwt.api_jwk import PyJWK

SITE, BINDING = sys.argv[1], sys.argv[2]


def key(kid, jku):
    """The key from the key set of the registry. A signature must name this key set."""
    assert jku == f"{SITE}/.well-known/jwks.json", jku
    with urlopen(jku, timeout=15) as answer:
        return next(PyJWK(key) for key in json.load(answer)["keys"] if key["kid"] == kid)


async def refused(call, error):
    try:
        await call
    except error:
        return
    raise AssertionError(f"{error.__name__} was expected")


async def main():
    config = ClientConfig(streaming=False, supported_protocol_bindings=[BINDING], use_client_preference=True)
    verifier = create_signature_verifier(key, ["ES256"])
    async with await create_client(SITE, config, signature_verifier=verifier) as client:
        async def say(text, **configuration):
            message = new_text_message(text, role=Role.ROLE_USER)
            request = SendMessageRequest(message=message, configuration=SendMessageConfiguration(**configuration))
            return [answer async for answer in client.send_message(request)][-1]

        read = await say("which MCP servers are live?")
        assert read.WhichOneof("payload") == "message" and "search_active" in str(read.message.parts[1].data), read
        helped = await say("help")
        assert helped.WhichOneof("payload") == "message" and "list my agent at" in helped.message.parts[0].text, helped
        done = (await say("help", return_immediately=True)).task
        assert done.status.state == TaskState.TASK_STATE_COMPLETED and "list my agent at" in done.artifacts[0].parts[0].text
        assert await client.get_task(GetTaskRequest(id=done.id)) == done
        asked = (await say("list my agent")).task
        assert asked.status.state == TaskState.TASK_STATE_INPUT_REQUIRED, asked
        listed = await client.list_tasks(ListTasksRequest(context_id=asked.context_id, page_size=5))
        assert [task.id for task in listed.tasks] == [asked.id] and listed.total_size == 1, listed
        canceled = await client.cancel_task(CancelTaskRequest(id=asked.id))
        assert canceled.status.state == TaskState.TASK_STATE_CANCELED
        await refused(client.cancel_task(CancelTaskRequest(id=asked.id)), TaskNotCancelableError)
        await refused(client.get_task(GetTaskRequest(id="no-such-task")), TaskNotFoundError)
    print("card verified; message, task, get, list, cancel")


asyncio.run(main())
