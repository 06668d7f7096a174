"""An agent built with a2a-sdk 0.3. It speaks JSON-RPC at the root of the site, or only REST.

It answers with a message or a task.
"""
from a2a.server.agent_execution import AgentExecutor
from a2a.server.apps import A2ARESTFastAPIApplication, A2AStarletteApplication
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentSkill, Part, TextPart
from a2a.utils import new_agent_text_message, new_task

from listening import arguments, bind, serve


class Message(AgentExecutor):
    """Answers at once and stores nothing."""

    async def execute(self, context, event_queue):
        await event_queue.enqueue_event(new_agent_text_message("I heard: " + context.get_user_input()))

    async def cancel(self, context, event_queue):
        raise NotImplementedError


class Task(Message):
    """Creates a task and completes it with an artifact."""

    async def execute(self, context, event_queue):
        task = context.current_task or new_task(context.message)
        await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, task.id, task.context_id)
        await updater.start_work()
        await updater.add_artifact([Part(root=TextPart(text="I heard: " + context.get_user_input()))], name="echo")
        await updater.complete()


options = arguments("--rest", "--task")
listener, origin = bind(options.port)
binding, style = ("HTTP+JSON" if options.rest else "JSONRPC"), ("task" if options.task else "message")
card = AgentCard(
    name=f"Interop Echo {binding} {style} 0.3", version="1.0.0", url=origin, preferred_transport=binding,
    description="Echoes every text message that it receives, word for word.",
    capabilities=AgentCapabilities(streaming=True, push_notifications=False),
    default_input_modes=["text/plain"], default_output_modes=["text/plain"],
    skills=[AgentSkill(id="echo", name="Echo", description="Answers with the text that it was sent.",
                       tags=["echo", "text"], examples=["say hello"])])
handler = DefaultRequestHandler(Task() if options.task else Message(), InMemoryTaskStore())
application = A2ARESTFastAPIApplication if options.rest else A2AStarletteApplication
serve(application(card, handler).build(), listener, origin)
