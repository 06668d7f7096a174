"""Uses the registry with a2a-sdk 0.3, over the transport that the registry's card prefers."""
import asyncio
import sys

from a2a.client import ClientConfig, ClientFactory, create_text_message_object
from a2a.client.errors import A2AClientJSONRPCError
from a2a.types import TaskIdParams, TaskQueryParams, TaskState


async def refused(call, code):
    try:
        await call
    except A2AClientJSONRPCError as error:
        assert error.error.code == code, error
        return
    raise AssertionError(f"error {code} was expected")


async def main(site):
    client = await ClientFactory.connect(site, ClientConfig(streaming=False))
    hurried = await ClientFactory.connect(site, ClientConfig(streaming=False, polling=True))

    async def say(text, client=client):
        answer = [answer async for answer in client.send_message(create_text_message_object(content=text))][-1]
        return answer[0] if isinstance(answer, tuple) else answer

    read = await say("which MCP servers are live?")
    assert read.kind == "message" and read.parts[1].root.data["operation"] == "search_active", read
    helped = await say("help")
    assert helped.kind == "message" and "list my agent at" in helped.parts[0].root.text, helped
    done = await say("help", hurried)
    assert done.kind == "task" and done.status.state == TaskState.completed
    assert "list my agent at" in done.artifacts[0].parts[0].root.text
    assert await client.get_task(TaskQueryParams(id=done.id)) == done
    asked = await say("list my agent")
    assert asked.status.state == TaskState.input_required, asked
    canceled = await client.cancel_task(TaskIdParams(id=asked.id))
    assert canceled.status.state == TaskState.canceled
    await refused(client.cancel_task(TaskIdParams(id=asked.id)), -32002)
    await refused(client.get_task(TaskQueryParams(id="no-such-task")), -32001)
    print("message, task, get, cancel")


asyncio.run(main(sys.argv[1]))
