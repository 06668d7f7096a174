"""The table of behaviors: its rows, and how they change the conversation of a correct server."""
from dataclasses import dataclass

# The places at which a behavior changes a conversation, in this order. All functions return the changed value, except those of
# `guard`, which return a reply or None, and of `reply` and `always`, which change the reply.
STAGES = ("guard",    # (ask): answers instead of the server
          "card",     # (ask, card): an agent card
          "result",   # (ask, result): the result of a method
          "message",  # (ask, message): a JSON-RPC message
          "reply",    # (ask, reply): the HTTP response to a request
          "always")   # (ask, reply): every HTTP response

TABLE = {}


@dataclass(frozen=True)
class Behavior:
    name: str
    protocol: str   # mcp or a2a
    bases: tuple    # the revisions in which it is tried alone
    source: str     # the rule that it tests
    hooks: dict     # a function by stage


def add(protocol, name, bases, source, **hooks):
    if (protocol, name) in TABLE or not hooks.keys() <= set(STAGES):
        raise ValueError(f"{name} is in the table twice, or has an unknown stage")
    TABLE[protocol, name] = Behavior(name, protocol, bases, source, hooks)


def apply(stage, ask, value):
    """The value after all changes of a stage. In a pair, a change that does not fit what the other one left has no effect."""
    for change in ask.hooks[stage]:
        try:
            changed = change(ask, value)
        except (AttributeError, KeyError, TypeError):
            continue
        value = value if stage in ("reply", "always") else changed
    return value


def put(thing, **values):
    """Sets attributes, or members of a dict, and returns it."""
    if isinstance(thing, dict):
        return {**thing, **values}
    for name, value in values.items():
        setattr(thing, name, value)
    return thing


def without(thing, *names):
    return {name: value for name, value in thing.items() if name not in names}


def at(place, change):
    """The function that changes the value at this path of a document, such as `skills.0.tags`. Where the path does not exist,
    nothing is changed. A change that is no function is the new value."""
    def changed(value, path):
        if not path:
            return change(value) if callable(change) else change
        key = int(path[0]) if path[0].isdigit() else path[0]
        if isinstance(value, list) and isinstance(key, int) and key < len(value):
            return [changed(item, path[1:]) if n == key else item for n, item in enumerate(value)]
        if isinstance(value, dict) and (key in value or len(path) == 1):
            return {**value, key: changed(value.get(key), path[1:])}
        return value
    return lambda _, document: changed(document, place.split("."))


def drop(place):
    """The same, but the member is removed."""
    *parents, name = place.split(".")
    if not parents:
        return lambda _, document: without(document, name)
    return at(".".join(parents), lambda value: without(value, name) if isinstance(value, dict) else value)
