"""The cases: what strangers reported about registries, gateways and clients, rebuilt with own servers and invented names."""
import time
from dataclasses import dataclass

from http_server import Reply
from servers import ASM, CARD, OIDC, PRM, TOOLS, agent, card, error, login, mcp, pointer, resource, result, sign_in

GITHUB = "https://github.com/"
SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
HTML = {"text": b"<!doctype html><title>502 Bad Gateway</title><p>The service is starting.", "type": "text/html"}


@dataclass(frozen=True)
class Case:
    name: str
    source: str      # the report: owner/name/issues/number
    rule: str        # what decides the verdict
    start: object    # () -> (ask) -> reply
    publish: object  # (origin) -> body
    lanes: tuple     # the right ones; "refused": the publication is refused
    handshake: str = ""
    kind: str = ""
    tools: object = None
    reason: str = ""  # a regular expression that the first reason (or the refusal) matches


CASES = []


def url(path="", member="url"):
    return lambda origin: {member: origin + path}


def description(**members):
    """A server description. `{origin}` and `{host}` are replaced in all its texts."""
    def filled(value, origin):
        if isinstance(value, dict):
            return {name: filled(one, origin) for name, one in value.items()}
        if isinstance(value, list):
            return [filled(one, origin) for one in value]
        return value.replace("{origin}", origin).replace("{host}", origin[7:]) if isinstance(value, str) else value
    return lambda origin: filled({"$schema": SCHEMA, "name": f"org.example.tides/s{origin.rsplit(':', 1)[1]}", "version": "2.1.0",
                                  "description": "Names the next high tide.", **members}, origin)


def live(name, source, rule, start, publish=url("/mcp"), kind="mcp", tools=2):
    CASES.append(Case(name, source, rule, start, publish, ("active",), "ok", kind, tools if kind == "mcp" else None))


def gated(name, source, rule, start, publish=url("/mcp")):
    CASES.append(Case(name, source, rule, start, publish, ("gated",), "partial", "mcp"))


def broken(name, source, rule, start, reason, publish=url("/mcp"), lanes=("needs_fix",), handshake="", kind=""):
    CASES.append(Case(name, source, rule, start, publish, lanes, handshake, kind, None, reason))


def remote(**members):
    return [{"type": "streamable-http", "url": "{origin}/mcp", **members}]


def once(count, reply):
    """A guard that gives the first requests by POST another reply."""
    def guard(ask):
        ask.state["n"] = ask.state.get("n", 0) + (ask.verb == "POST")
        return reply() if ask.verb == "POST" and ask.state["n"] <= count else None
    return guard


# Gateways and proxies
HTTP = "RFC 9110 "
live("slash_at_end", "wmde/WikidataMCP/issues/3", "RFC 3986 6.2.3: /mcp/ and /mcp are two URLs; the published one is used",
     mcp(path="/mcp/"), url("/mcp/"))
live("relative_location", "opensearch-project/opensearch-mcp-server-py/issues/271", HTTP + "10.2.2: Location is a URI reference",
     mcp(lambda ask: Reply(307, headers={"Location": "v1/mcp"}) if ask.rest == "/api" else None, path="/v1/mcp"), url("/api"))
live("body_needs_length", "openclaw/openclaw/issues/136204", HTTP + "15.5.12: 411 is for a body without a length; clients send one",
     mcp(lambda ask: Reply(411) if ask.verb == "POST" and "content-length" not in ask.headers else None))
live("no_expectation", "mrexodia/zeromcp/pull/21", HTTP + "10.1.1: a server MAY refuse an Expect field; clients send none",
     mcp(lambda ask: Reply(417) if "expect" in ask.headers else None))
live("query_is_part_of_url", "envoyproxy/ai-gateway/issues/1731", "RFC 3986 3.4: the query identifies the resource",
     mcp(lambda ask: None if "group=sea" in ask.query else error(ask, -32602, "the group is missing", 400) if ask.verb == "POST" else None,
         tools=lambda ask: TOOLS if "depth=all" in ask.query else TOOLS[:1]), url("/mcp?group=sea&depth=all"))
broken("host_behind_proxy", "PrefectHQ/fastmcp/issues/4468", HTTP + "15.5.20: 421; nothing but the Host check is wrong",
       mcp(lambda ask: Reply(421, text=b"Invalid Host header", type="text/plain") if ask.rest == "/mcp" else None), "host_refused")
broken("redirect_to_inner_port", "agentic-community/mcp-gateway-registry/issues/1606",
       "the report: the redirect is the fault, not the port behind it",
       mcp(lambda ask: Reply(301, headers={"Location": "http://127.0.0.1:9/mcp/"}) if ask.rest == "/mcp" else None, path="/mcp/"), "redirect")
broken("length_is_stale", "wso2/api-platform/issues/2885", "RFC 9112 6.3: a body shorter than its Content-Length is incomplete",
       mcp(change=lambda ask, reply: Reply(200, reply.message, framing="close", headers={"Content-Length": "4096"})
           if ask.rpc == "tools/list" else reply), "conn_lost|incomplete|cut|closed|tools_failed", lanes=("needs_fix", "queued"))
live("closes_without_a_word", "mrexodia/ida-pro-mcp/issues/512", "RFC 9112 9.5: a connection may be closed after any response",
     mcp(lambda ask: ask.headers.update(connection="close")))
live("cold_start_502", "github/copilot-cli/issues/4466", "basic/versioning: after any refusal of server/discover send initialize",
     mcp(once(1, lambda: Reply(502, **HTML))))
broken("cold_start_503", "google/ChromeBrowserEnterprise/pull/79", HTTP + "15.6.4 and 10.2.3: a 503 with Retry-After is temporary",
       mcp(once(9, lambda: Reply(503, headers={"Retry-After": "2"}))), "503", lanes=("queued", "needs_fix"))
CASES.append(Case("every_answer_is_slow", "anomalyco/opencode/issues/13672",
                  "the report: slow is not broken; a result only of this moment, at most",
                  mcp(lambda ask: time.sleep(2.6) if ask.verb == "POST" else None), url("/mcp"), ("active", "queued"), reason="timeout"))
live("cold_start_slow", "langchain-ai/langchain-mcp-adapters/issues/170", "the report: a server that wakes up for seconds is not dead",
     mcp(once(1, lambda: time.sleep(4))))

# Sessions and lifecycle
SESSION = "MCP 2025-11-25 basic/transports, sessions: "


def replicas(ask):
    """Every request with a session comes to a replica that does not know it."""
    return error(ask, -32600, "Session not found", 404) if "mcp-session-id" in ask.headers else None


broken("session_of_other_replica", "appsmithorg/appsmith/issues/42238",
       SESSION + "404 means a new session; a second 404 is a fault of the server",
       mcp(replicas, change=lambda ask, reply: Reply(200, reply.message, headers={"Mcp-Session-Id": "replica-a"})),
       "session", handshake="partial", kind="mcp")


def strict_lifecycle(ask):
    if ask.rpc == "notifications/initialized":
        ask.state["ready"] = True
    early = ask.rpc not in ("initialize", "ping", "") and "id" in ask.message and not ask.state.get("ready")
    return error(ask, -32602, "Received a request before initialization was complete") if early else None


live("initialized_is_required", "enuno/unifi-mcp-server/issues/96", "2025-11-25 basic/lifecycle: the client MUST send initialized",
     mcp(strict_lifecycle))
live("parameters_are_objects", "chaitin/MonkeyCode/pull/1268", "schema, Request: params is an object or missing",
     mcp(lambda ask: error(ask, -32602, "params must be an object") if ask.verb == "POST"
         and not isinstance(ask.message.get("params", {}), dict) else None))
broken("initialized_by_another", "Casperjuel/aula-mcp/pull/79", "2025-11-25 basic/lifecycle: every client begins with initialize",
       mcp(lambda ask: error(ask, -32600, "Invalid Request: Server already initialized", 400) if ask.rpc == "initialize" else None),
       "initialize_refused", handshake="partial", kind="mcp")
broken("site_with_endpoint_elsewhere", "adcontextprotocol/adcp-client/issues/1234",
       "the report: say that the URL lacks the path of the endpoint",
       mcp(path="/tides/mcp"), "nothing", url(""))
live("notification_gets_null", "awslabs/mcp/issues/3295", "official clients read no body of a notification; 202 is the rule",
     mcp(note=lambda ask: Reply(200, text=b"null")))
live("notification_empty_json", "alexandre-schaffner/revv/pull/145", "the same, with a content type and no body",
     mcp(note=lambda ask: Reply(200, headers={"Content-Type": "application/json"})))
broken("experimental_is_list", "php-mcp/schema/issues/2", "schema 2025-06-18, ServerCapabilities: experimental is an object",
       mcp(capabilities={"tools": {}, "experimental": []}), "nonconforming|result_shape|capabilities", kind="mcp")

broken("empty_result_for_all", "just-every/code/issues/611", "schema, InitializeResult: protocolVersion is required",
       mcp(lambda ask: result(ask, {}) if "id" in ask.message else None), "nonconforming|result_shape|not_mcp")
broken("one_version_exactly", "sickn33/agentic-awesome-skills/issues/1003",
       "2025-11-25 basic/lifecycle: the server MUST answer with its version",
       mcp(lambda ask: error(ask, -32602, "Unsupported protocol version") if ask.rpc == "initialize"
           and ask.params.get("protocolVersion") != "2025-06-18" else None), "version", kind="mcp")
broken("address_of_old_stream", "yjacquin/fast-mcp/issues/160", "2025-11-25 basic/transports: HTTP with SSE was replaced in 2025-03-26",
       mcp(lambda ask: Reply(text=b"event: endpoint\ndata: /mcp/messages\n\n", type="text/event-stream", held=True) if ask.verb == "GET"
           and ask.rest == "/mcp/sse" else error(ask, -32601, "Method not allowed", 405) if ask.rest == "/mcp/sse" else None),
       "sse", url("/mcp/sse"))
SCHEMAS = "MCP 2025-11-25 server/tools: outputSchema is a valid JSON Schema; official clients compile it"
broken("output_reference_to_nowhere", "gemini-cli-extensions/stitch/issues/13", SCHEMAS, mcp(tools=lambda ask: [TOOLS[0], {**TOOLS[1],
    "outputSchema": {"type": "object", "properties": {"harbor": {"$ref": "#/$defs/Harbor"}}}}]), "tool_shape", kind="mcp")
broken("output_property_is_text", "rezi-io/rezi-mcp/issues/4", SCHEMAS, mcp(tools=lambda ask: [TOOLS[0], {**TOOLS[1],
    "outputSchema": {"type": "object", "properties": {"harbor": "string"}}}]), "tool_shape", kind="mcp")

# Sign-in
AUTH, MUST = "MCP 2025-11-25 basic/authorization: ", "RFC 9728 "
gated("metadata_without_challenge", "microsoft/vscode/issues/268210",
      AUTH + "servers MUST use the header or the well-known URI; clients MUST fall back to the URI", sign_in(challenge=lambda origin: {}))
gated("challenge_without_url", "modelcontextprotocol/csharp-sdk/pull/1041",
      AUTH + "without resource_metadata clients use the well-known URI",
      sign_in(challenge=lambda origin: {"WWW-Authenticate": 'Bearer realm="tides"'}))
gated("metadata_only_at_root", "modelcontextprotocol/typescript-sdk/issues/2783",
      AUTH + "path first, then root; the path answers 401 here",
      sign_in(lambda origin: {PRM + "/mcp": Reply(401), PRM: resource(origin)}, lambda origin: {"WWW-Authenticate": "Bearer"}))
gated("metadata_at_odd_path", "vercel-labs/fx/pull/481", MUST + "5.1: the URL in resource_metadata is used as it is",
      sign_in(lambda origin: {PRM + "/mcp": None, "/v1" + PRM: resource(origin)}, lambda origin: pointer(origin, "/v1" + PRM)))
gated("resource_is_origin", "agentconnect-md/agentconnect/pull/2119", "official clients accept a parent of the endpoint as resource",
      sign_in(lambda origin: {PRM + "/mcp": resource(origin, "")}))
gated("metadata_redirected", "koala73/worldmonitor/pull/4951", HTTP + "15.4: clients follow a redirect of a GET within the origin",
      sign_in(lambda origin: {PRM + "/mcp": Reply(308, headers={"Location": PRM + "/mcp/"}), PRM + "/mcp/": resource(origin)}))
broken("gateway_guards_its_metadata", "modelcontextprotocol/modelcontextprotocol/issues/581",
       MUST + "3.1: the metadata is for clients without a token",
       sign_in(lambda origin: {path: Reply(401, headers=pointer(origin)) for path in (PRM, PRM + "/mcp", ASM, OIDC)}), "sign_in:metadata_missing")
gated("endpoint_at_root", "vercel/ai/issues/13988",
      MUST + "3.1: without a path the well-known URL has no suffix; the slash is optional",
      sign_in(lambda origin: {PRM + "/": None, PRM: resource(origin, "")}, lambda origin: pointer(origin, PRM), path="/"), url("/", "mcp_url"))
gated("endpoint_with_query", "getsentry/sentry-mcp/pull/837", "official clients compare only origin and path of the resource",
      sign_in(), url("/mcp?project=7"))
gated("resource_with_slash", "microsoft/vscode/issues/259251", "official clients compare the paths as if both ended in a slash",
      sign_in(lambda origin: {PRM + "/mcp": resource(origin, "/mcp/")}))
broken("resource_is_sibling", "exa-labs/exa-mcp-server/pull/387", MUST + "3.3: another resource MUST NOT be used",
       sign_in(lambda origin: {PRM + "/reports": resource(origin, "/mcp")}, lambda origin: pointer(origin, PRM + "/reports"), path="/reports"),
       "sign_in:resource", url("/reports"))
broken("resource_is_half_a_segment", "agentconnect-md/agentconnect/pull/2119", MUST + "3.3; a parent ends at a segment",
       sign_in(lambda origin: {PRM + "/mcp": resource(origin, "/mc")}), "sign_in:resource")
broken("resource_is_missing", "macro-inc/macro/issues/5519", MUST + "2: resource is required",
       sign_in(lambda origin: {PRM + "/mcp": {"authorization_server": origin, "authorization_servers": [origin]}}), "sign_in:resource")
broken("only_the_server_has_metadata", "cloudflare/workers-oauth-provider/issues/137",
       AUTH + "servers MUST have metadata of the resource",
       sign_in(lambda origin: {PRM + "/mcp": None}, lambda origin: {"WWW-Authenticate": "Bearer"}), "sign_in:metadata_missing")
broken("issuer_without_its_path", "atlassian/atlassian-mcp-server/issues/205", "RFC 8414 3.3: the issuer MUST be identical",
       sign_in(lambda origin: {PRM + "/mcp": resource(origin, server="/t41"), ASM + "/t41": login(origin)}), "sign_in:issuer")
broken("issuer_with_slash", "anomalyco/opencode/issues/50036",
       "RFC 8414 3.3: the issuer MUST be identical; only the metadata has a slash",
       sign_in(lambda origin: {ASM: login(origin + "/")}), "sign_in:issuer")
gated("issuer_with_slash_everywhere", "vercel/ai/issues/20236", "RFC 8414 3.1: a final slash is removed before the path is inserted",
      sign_in(lambda origin: {PRM + "/mcp": resource(origin, server="/"), ASM: login(origin + "/")}))
gated("openid_after_the_path", "modelcontextprotocol/typescript-sdk/issues/616", AUTH + "the third URL for an issuer with a path",
      sign_in(lambda origin: {PRM + "/mcp": resource(origin, server="/realms/sea"), ASM: None,
                              "/realms/sea" + OIDC: login(origin + "/realms/sea")}))
broken("openid_without_pkce", "modelcontextprotocol/typescript-sdk/issues/616",
       AUTH + "without code_challenge_methods_supported clients MUST refuse",
       sign_in(lambda origin: {ASM: None, OIDC: login(origin, code_challenge_methods_supported=None)}), "sign_in:no_s256")
gated("two_resources_on_an_origin", "anthropics/claude-code/issues/52871", MUST + "3.1: paths allow several resources on a host",
      sign_in(lambda origin: {PRM: {"resource": origin, "authorization_servers": [origin + "/other"]}},
              lambda origin: {"WWW-Authenticate": 'Bearer realm="tides"'}))
CASES.append(Case("metadata_url_twice", "getsentry/sentry-mcp/issues/939", HTTP + "11.2: a parameter MUST NOT occur twice; official clients "
                  "try the first, which is 404 here, then the well-known URI", sign_in(challenge=lambda origin: {
                      "WWW-Authenticate": f'Bearer resource_metadata="{origin}/none", error="invalid_token", '
                                          f'resource_metadata="{origin}{PRM}/mcp"'}), url("/mcp"), ("gated", "needs_fix"), "partial", "mcp",
                  None, ""))
gated("no_registration", "anthropics/claude-ai-mcp/issues/376", AUTH + "clients may be registered in advance",
      sign_in(lambda origin: {ASM: login(origin, registration_endpoint=None)}))
gated("several_schemes_in_a_line", "btsouth/toolport/pull/598",
      HTTP + "11.6.1: a field may have several challenges, with commas in quotes",
      sign_in(challenge=lambda origin: {"WWW-Authenticate": 'Negotiate, Basic realm="sea, shore", Bearer scope="read", '
                                        f'resource_metadata="{origin}{PRM}/mcp"'}))
gated("several_schemes_in_fields", "modelcontextprotocol/typescript-sdk/pull/1951", HTTP + "11.6.1: the field may be repeated",
      sign_in(challenge=lambda origin: {"Www-Authenticate": "Negotiate", **pointer(origin)}))
gated("scheme_in_lower_case", "btsouth/toolport/pull/598", HTTP + "11.1: schemes and names of parameters have no case",
      sign_in(challenge=lambda origin: {"WWW-Authenticate": f'bearer Resource_Metadata = "{origin}{PRM}/mcp"'}))
gated("metadata_type_twice", "microsoft/vscode/issues/259251", "clients read the metadata as JSON whatever its type",
      sign_in(lambda origin: {PRM + "/mcp": Reply(message=resource(origin), type="application/json, application/json")}))
gated("sign_in_at_list", "exa-labs/exa-mcp-server/pull/387", AUTH + "a server may ask at any request",
      sign_in(when=lambda ask: ask.rpc == "tools/list"))
broken("key_refused_with_403", "spring-ai-community/mcp-security/issues/46", AUTH + "401 for missing authorization; 403 is for scopes",
       sign_in(status=403), "sign_in:status_403")

# Server descriptions
REMOTE = "server.json 2025-12-11, "
live("optional_secret_header", "neondatabase/mcp-server-neon/pull/200", REMOTE + "Input: isRequired is false if it is missing",
     mcp(), description(remotes=remote(headers=[{"name": "Authorization", "isRequired": False, "isSecret": True},
                                                {"name": "X-Read-Only", "description": "Only reads."}])))
broken("required_secret_header", "agentic-community/mcp-gateway-registry/issues/1028",
       REMOTE + "isRequired and isSecret: only its users have the value",
       mcp(lambda ask: Reply(401) if "x-tide-key" not in ask.headers else None), "needs_config|secret|X-Tide-Key",
       description(remotes=remote(headers=[{"name": "X-Tide-Key", "isRequired": True, "isSecret": True}])),
       ("needs_fix",))
live("variable_in_query", "coder/coder/pull/26755", REMOTE + "variables: the default fills the place",
     mcp(lambda ask: None if ask.query == "region=north" else Reply(400)), description(remotes=remote(
         url="{origin}/mcp?region={region}", variables={"region": {"default": "north", "choices": ["north", "south"]}})))
broken("variable_without_default", "coder/coder/pull/26755", REMOTE + "variables: nobody but a user knows the value",
       mcp(), "template|needs_config|placeholder|variable", description(remotes=remote(url="{origin}/{tenant}/mcp",
           variables={"tenant": {"description": "Name of the tenant", "isRequired": True}})), ("needs_fix",))
broken("transport_type", "robhunter/agentdeals/issues/28", REMOTE + "type is required in a remote", mcp(), "type",
       description(remotes=[{"transportType": "streamableHttp", "url": "{origin}/mcp"}]), ("needs_fix", "refused"))
CASES.append(Case("wrapped_by_a_registry", "docker/mcp-gateway/issues/390", "the registry API has the description in `server`; reading it, or "
                  "naming it, is right", mcp(), lambda origin: {"server": description(remotes=remote())(origin), "_meta": {
                      "io.modelcontextprotocol.registry/official": {"status": "active", "isLatest": True}}},
                  ("active", "refused"), reason=r"`?server`?"))
CASES.append(Case("page_of_a_registry", "alibaba/nacos/issues/13543", "a page with one server: reading it, or naming `servers`, is right", mcp(),
                  lambda origin: {"servers": [{"server": description(remotes=remote())(origin)}], "metadata": {"count": 1}},
                  ("active", "refused"), reason="servers"))
broken("transport_value", "robhunter/agentdeals/pull/29", REMOTE + "type is streamable-http or sse", mcp(), "type",
       description(remotes=[{"type": "streamableHttp", "url": "{origin}/mcp"}]), ("needs_fix", "refused"))
broken("variable_for_all_of_the_url", "coder/coder/pull/26755", REMOTE + "url matches ^https?://", mcp(), r"\burl\b", description(
    remotes=remote(url="{tides}/mcp", variables={"tides": {"default": "{origin}"}})), ("needs_fix", "refused"))
live("remote_beside_package", "verygoodplugins/mcp-automem/pull/21",
     REMOTE + "packages and remotes are alternatives", mcp(), description(
    packages=[{"registryType": "npm", "identifier": "@tides-example/none", "version": "2.1.0", "transport": {"type": "stdio"},
               "environmentVariables": [{"name": "TIDE_KEY", "isRequired": True, "isSecret": True}]}], remotes=remote()))

# A2A
live("card_below_a_prefix", "api7/aisix/issues/913", "A2A 1.0 8.2: a card URL may be configured directly; the origin answers 405",
     agent(path="/v3/serve/7", card_at="/v3/serve/7" + CARD, guard=lambda ask: None if ask.rest.startswith("/v3/serve/7") else Reply(405)),
     url("/v3/serve/7" + CARD), "agent")
live("base_with_path", "microsoft/agent-framework/issues/1097", "official resolvers append the well-known path to the base URL",
     agent(path="/agent/tides", card_at="/agent/tides" + CARD), url("/agent/tides"), "agent")
live("endpoint_of_a_card_at_origin", "agentic-community/mcp-gateway-registry/issues/1724", "A2A 1.0 8.2: the card is at the origin",
     agent("0.3", path="/a2a"), url("/a2a"), "agent")
live("server_beside_an_agent", "koala73/worldmonitor/pull/4824",
     "the published URL answers in MCP; the card of the origin is about another",
     mcp(lambda ask: agent("0.3", path="/a2a")()(ask) if ask.rest in (CARD, "/a2a") else None))
live("agent_beside_another", "a2aproject/A2A/issues/221",
     "the published URL has a card below it; the one of the origin is about another",
     agent(path="/agents/tides", card_at="/agents/tides" + CARD, guard=lambda ask: Reply(message={
         **card(ask.origin, "1.0", "/agents/winds"), "name": "Wind Clerk"}) if ask.rest == CARD else None), url("/agents/tides"), "agent")
live("agent_at_root", "themanojdesai/python-a2a/issues/77", "RFC 3986 6.2.3: an empty path is /",
     agent("0.3", path="/", change=lambda origin, card: {**card, "url": origin}), url(""), "agent")
live("card_only_as_json", "themanojdesai/python-a2a/issues/21", HTTP + "12.5.1: a client that wants JSON says so in Accept",
     agent("0.3", guard=lambda ask: Reply(200, **HTML) if ask.rest == CARD and "application/json" not in ask.headers.get("accept", "")
           else None), url(CARD), "agent")
live("optional_members_are_null", "a2aproject/a2a-tck/issues/195", "official 0.3 types read null as absent",
     agent("0.3", change=lambda origin, card: {**card, "documentationUrl": None, "iconUrl": None, "securitySchemes": None, "security": None,
         "signatures": None, "additionalInterfaces": None, "capabilities": {**card["capabilities"], "extensions": None}}), url(CARD), "agent")
live("parameters_need_kind", "a2aproject/a2a-tck/pull/63", "A2A 0.3 6.4: kind is required in a message and in a part",
     agent("0.3", strict=lambda params: None if params.get("message", {}).get("kind") == "message" and all(
         part.get("kind") == "text" for part in params["message"]["parts"]) else "kind"), url(CARD), "agent")
live("parameters_of_1_0_only", "aegra/aegra/issues/625", "A2A 1.0 5.5 and ProtoJSON: unknown members may be refused, enums are names",
     agent("1.0", strict=lambda params: None if params.get("message", {}).get("role") == "ROLE_USER" and "kind" not in params["message"]
         and all("kind" not in part for part in params["message"]["parts"])
         and not set(params) - {"tenant", "message", "configuration", "metadata"}
         and not set(params.get("configuration") or {}) - {"acceptedOutputModes", "taskPushNotificationConfig", "historyLength",
             "returnImmediately"} else "unknown member"), url(CARD), "agent")
live("second_interface_is_dead", "a2aproject/a2a-python/pull/572", "A2A 1.0 8.3.2: the first supported interface is used",
     agent(change=lambda origin, card: {**card, "supportedInterfaces": [*card["supportedInterfaces"], {
         **card["supportedInterfaces"][0], "url": "http://127.0.0.1:9/spare"}]}), url(CARD), "agent")
live("list_of_versions", "IBM/mcp-context-forge/issues/2547", "A2A 0.3 5.5: without a version it is 0.3, as official clients read it",
     agent("0.3", change=lambda origin, card: {**{name: value for name, value in card.items() if name != "protocolVersion"},
         "protocolVersions": ["0.3"]}), url(CARD), "agent")


def rest_below_v1(ask):
    """REST routes below /v1 that speak 1.0."""
    if ask.rest == "/v1/message:send":
        return Reply(message={"message": {"messageId": "m-7", "role": "ROLE_AGENT", "parts": [{"text": "High tide is at six."}]}})
    if ask.rest.startswith("/v1/tasks/"):
        return Reply(404, {"error": {"code": 404, "status": "NOT_FOUND", "message": "Task not found", "details": [{
            "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "TASK_NOT_FOUND", "domain": "a2a-protocol.org"}]}})
    return None


broken("rest_routes_below_v1", "liujuanjuan1984/codex-a2a/issues/339",
       "A2A 1.0 11.3: the path follows the URL of the interface directly",
       agent(guard=rest_below_v1, change=lambda origin, card: {**card, "supportedInterfaces": [{
           "url": origin, "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"}]}), "404", url(CARD), kind="agent")
CASES.append(Case("agent_as_server", "envoyproxy/ai-gateway/issues/1724", "it is an agent: listing it as one, or saying so, is right",
                  agent("0.3", path="/a2a"), url("/a2a", "mcp_url"), ("active", "needs_fix"), kind="agent", reason="a2a|agent"))
live("server_as_agent", "adcontextprotocol/adcp-client/pull/2964",
     "specification.md: the kind that a publisher states is a first guess",
     mcp(), url("/mcp", "agent_card_url"))
live("output_modes_are_checked", "Intelligent-Internet/opencode-a2a/issues/379",
     "A2A 1.0 3.2.2: acceptedOutputModes, if sent, fits the answer",
     agent(strict=lambda params: None if "text/plain" in (params.get("configuration") or {}).get("acceptedOutputModes", ["text/plain"])
           else "text/plain is not accepted"), url(CARD), "agent")
live("card_with_query", "a2aproject/A2A/issues/178", "A2A 1.0 8.2: a card URL may be configured directly; the query is part of it",
     agent(card_at="/directory/card", guard=lambda ask: Reply(400) if ask.rest == "/directory/card" and ask.query != "agent=tides" else None),
     url("/directory/card?agent=tides"), "agent")
live("unknown_task_with_404", "i-am-bee/agentstack/issues/1497",
     "A2A 1.0 3.1.1: SendMessage works; official clients never ask for that task",
     agent(guard=lambda ask: error(ask, -32001, "Task not found", 404) if ask.rpc == "GetTask" else None), url(CARD), "agent")
broken("empty_answers", "chaosxingxc-orion/spring-ai-ascend/pull/175",
       "JSON-RPC 2.0 section 5: a response has jsonrpc, id and result or error",
       agent(guard=lambda ask: Reply(message={}) if ask.rest == "/rpc" else None), "not_a2a|no_rpc|jsonrpc|not A2A", url(CARD), kind="agent")
broken("card_is_empty_object", "assistant-ui/assistant-ui/pull/5115", "A2A 1.0 4.4.1: a 200 with {} is no card",
       agent(change=lambda origin, card: {}), "card", url(CARD, "agent_card_url"))
broken("url_names_the_card", "microsoft/agent-framework/issues/2386", "A2A 0.3 5.5: url is the endpoint; it answers 405 here",
       agent("0.3", change=lambda origin, card: {**card, "url": origin + CARD}, guard=lambda ask: Reply(405) if ask.rest == CARD
             and ask.verb == "POST" else None), "405", url(CARD), kind="agent")
broken("address_inside_a_cluster", "agentgateway/agentgateway/issues/3500", "A2A 1.0 4.4.6: the URL must be reachable for clients",
       agent(change=lambda origin, card: {**card, "supportedInterfaces": [{**card["supportedInterfaces"][0],
           "url": "http://agents.tides.svc.cluster.local/rpc"}]}), "interface|dns|host", url(CARD), kind="agent")
broken("methods_of_0_1", "elkar-ai/elkar-a2a/issues/9", "A2A 0.2 7.1: message/send replaced tasks/send",
       agent("0.3", guard=lambda ask: error(ask, -32601, "Method not found") if ask.rest == "/rpc" else None,
             change=lambda origin, card: {name: value for name, value in card.items() if name not in ("protocolVersion", "preferredTransport")}),
       "unknown_methods|message_refused|method", url(CARD), kind="agent")
