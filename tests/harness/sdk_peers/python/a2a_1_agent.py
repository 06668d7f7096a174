"""An agent built with a2a-sdk 1.x. It speaks JSON-RPC, or only REST. It answers with a message or a task.

It can also support A2A 0.3.
"""
from a2a.helpers.proto_helpers import new_task_from_user_message, new_text_message, new_text_part
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes.agent_card_routes import create_agent_card_routes
from a2a.server.routes.jsonrpc_routes import create_jsonrpc_routes
from a2a.server.routes.rest_routes import create_rest_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types.a2a_pb2 import AgentCapabilities, AgentCard, AgentInterface, AgentProvider, AgentSkill
from starlette.applications import Starlette

from listening import arguments, bind, serve


class Message(AgentExecutor):
    """Answers at once and stores nothing."""

    async def execute(self, context, event_queue):
        await event_queue.enqueue_event(new_text_message("I heard: " + context.get_user_input()))

    async def cancel(self, context, event_queue):
        raise NotImplementedError


class Task(Message):
    """Creates a task and completes it with an artifact."""

    async def execute(self, context, event_queue):
        task = context.current_task or new_task_from_user_message(context.message)
        await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, task.id, task.context_id)
        await updater.start_work()
        await updater.add_artifact([new_text_part("I heard: " + context.get_user_input())], name="echo")
        await updater.complete()


options = arguments("--rest", "--task", "--both-versions")
listener, origin = bind(options.port)
endpoint, binding = (f"{origin}/rest", "HTTP+JSON") if options.rest else (f"{origin}/rpc", "JSONRPC")
versions = ["1.0", "0.3"] if options.both_versions else ["1.0"]
style = "task" if options.task else "message"
card = AgentCard(
    name=f"Interop Echo {binding} {style} {'+'.join(versions)}", version="1.0.0",
    description="Echoes every text message that it receives, word for word.",
    provider=AgentProvider(organization="Interop", url=origin),
    supported_interfaces=[AgentInterface(url=endpoint, protocol_binding=binding, protocol_version=v) for v in versions],
    capabilities=AgentCapabilities(streaming=True, push_notifications=False),
    default_input_modes=["text/plain"], default_output_modes=["text/plain"],
    skills=[AgentSkill(id="echo", name="Echo", description="Answers with the text that it was sent.",
                       tags=["echo", "text"], examples=["say hello"])])
handler = DefaultRequestHandler(Task() if options.task else Message(), InMemoryTaskStore(), card)
if options.rest:
    speech = create_rest_routes(handler, path_prefix="/rest", enable_v0_3_compat=options.both_versions)
else:
    speech = create_jsonrpc_routes(handler, "/rpc", enable_v0_3_compat=options.both_versions)
serve(Starlette(routes=[*create_agent_card_routes(card), *speech]), listener, origin)
