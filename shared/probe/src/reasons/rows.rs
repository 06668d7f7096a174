//! The table of faults: code, the specification's words, fix and class. The match is exhaustive, so that
//! every fault has a fix. Fixes are written for the owner of the listing, who may be an agent acting alone.

use std::borrow::Cow;

use super::fault::{ConformanceRule, ConnectError, ProbeFault, ProbedResource, Stage};
use super::{Class, FAIL, LATER, PARTIAL, SKIP, UNKNOWN};

pub(super) type Row = (Cow<'static, str>, String, Cow<'static, str>, Class);

fn row(code: &'static str, words: impl Into<String>, fix: &'static str, class: Class) -> Row {
    (code.into(), words.into(), fix.into(), class)
}

pub(super) fn row_of(fault: &ProbeFault) -> Row {
    match fault {
        ProbeFault::Http { resource, status } => http_row(*resource, *status),
        ProbeFault::Unreached { stage, cause } => unreached_row(*stage, *cause),
        ProbeFault::InvalidCard { status, finding } => (
            finding.code.into(),
            format!("card fail {status} (invalid card)"),
            finding.fix.clone().into(),
            FAIL,
        ),
        ProbeFault::BrokenCardRule { violation } => (
            violation.code.into(),
            "card partial (breaks the specification)".into(),
            violation.fix.clone().into(),
            PARTIAL,
        ),
        ProbeFault::NotACard { status } => row(
            "not_a_card",
            format!("card fail {status} (non-card body)"),
            "Serve the agent card itself at this URL: a JSON object with name, description, version, skills and supportedInterfaces (or url), as application/json.",
            FAIL,
        ),
        ProbeFault::Nonconforming(rule) => {
            let (name, fix) = rule_row(*rule);
            (
                format!("nonconforming:{name}").into(),
                format!("remote partial (nonconforming: {name})"),
                fix.into(),
                PARTIAL,
            )
        }
        ProbeFault::PreflightTimeout { ms } => row(
            "preflight_timeout",
            format!("preflight timeout ({ms} ms)"),
            "Answer a GET of this URL within the named time. Cold starts are the usual cause: keep one instance warm, or serve the card from a CDN. The registry retries soon.",
            UNKNOWN,
        ),
        ProbeFault::ProbeTimeout { ms } => row(
            "timeout",
            format!("remote timeout ({ms} ms)"),
            "Answer the whole handshake within the named time. Check that the endpoint is up and closes its responses. The registry retries soon.",
            UNKNOWN,
        ),
        ProbeFault::ConnectionLost => row(
            "conn_lost",
            "remote fail (connection lost)",
            "The connection broke before an answer was complete. Look for crashes and proxy limits; the registry retries soon.",
            UNKNOWN,
        ),
        ProbeFault::BadEncoding => row(
            "bad_encoding",
            "remote fail (undecodable body)",
            "Send the body uncompressed, or with a valid gzip encoding.",
            FAIL,
        ),
        ProbeFault::Redirected { resource, status } => row(
            "redirected",
            match status {
                Some(status) => format!("{} fail {status} (redirect not followed)", resource.word()),
                None => format!("{} fail (redirect not followed)", resource.word()),
            },
            "Publish the final URL. For endpoints the registry follows one 307 or 308 on the same origin, for cards three redirects; never from https to http.",
            FAIL,
        ),
        ProbeFault::TooLarge { resource: ProbedResource::Card } => row(
            "card_too_large",
            "card fail 200 (over 256 KiB)",
            "Keep the agent card under 256 KiB: move long texts to the documentation URL.",
            FAIL,
        ),
        ProbeFault::TooLarge { resource: ProbedResource::Remote } => row(
            "answer_too_large",
            "remote fail 200 (over 1 MiB)",
            "Keep each answer of the handshake under 1 MiB: page tools/list with nextCursor and shorten descriptions.",
            FAIL,
        ),
        ProbeFault::TooMuch => row(
            "answers_too_large",
            "remote fail 200 (too much to read)",
            "Keep what a handshake answers under 4 MiB, 100000 JSON values and 2000 tools in all: offer fewer tools, with shorter schemas.",
            FAIL,
        ),
        ProbeFault::Waf { resource, status } => row(
            "waf",
            format!("{} fail {status} (bot wall)", resource.word()),
            "A bot wall answers instead of the server. Let machine clients reach this path, or allow the registry's User-Agent; the registry retries soon.",
            UNKNOWN,
        ),

        ProbeFault::NothingFound { status } => row(
            "nothing_found",
            match status {
                Some(status) => format!("card fail {status} (no card)"),
                None => "card fail (no card)".to_owned(),
            },
            "Serve an agent card at /.well-known/agent-card.json, or publish the exact URL of the card (agent_card_url) or of the MCP endpoint (mcp_url).",
            FAIL,
        ),
        ProbeFault::GrpcOnly => row(
            "grpc_only",
            "remote partial (gRPC only)",
            "Offer a JSONRPC or HTTP+JSON interface in addition to gRPC and name it in supportedInterfaces.",
            PARTIAL,
        ),
        ProbeFault::NoInterface => row(
            "no_interface",
            "card fail 200 (no usable interface)",
            "Declare supportedInterfaces with protocolBinding JSONRPC or HTTP+JSON and the URL to call.",
            FAIL,
        ),
        ProbeFault::InterfaceUrl => row(
            "interface_url",
            "card fail 200 (interface URL not allowed)",
            "The card's interface must be an absolute https URL with a public host name; localhost and placeholders are for development.",
            FAIL,
        ),
        ProbeFault::ForeignInterface => row(
            "interface_domain",
            "remote fail (interface on another domain)",
            "Serve the interface on the card's own domain, or serve the card on the interface's. The registry does not call an interface on another domain.",
            FAIL,
        ),
        ProbeFault::NotA2a => row(
            "not_a2a",
            "remote fail 200 (not A2A)",
            "The interface URL of the card does not answer in A2A. Point it at the JSON-RPC or REST endpoint itself, not at a web page.",
            FAIL,
        ),
        ProbeFault::UnknownMethods => row(
            "unknown_methods",
            "remote fail 200 (no A2A method known)",
            "The interface answers JSON-RPC, but knows neither SendMessage (1.0) nor message/send (0.3). Serve one of them, or correct the interface's URL.",
            FAIL,
        ),
        ProbeFault::MessageRefused => row(
            "message_refused",
            "remote partial (message refused)",
            "Accept a plain text message (text/plain, role user) with SendMessage or message/send; answering with a message or a task in any state is enough.",
            PARTIAL,
        ),
        ProbeFault::MessageFailed => row(
            "message_failed",
            "remote partial (internal error on a message)",
            "Answering a plain text message ended in an internal error. Check your log; the model's API key or quota is the usual cause.",
            PARTIAL,
        ),
        ProbeFault::MessageTimeout => row(
            "message_timeout",
            "remote timeout (no answer to a message)",
            "Answer a message within seconds; a task in state submitted or working is enough when returnImmediately is true (0.3: blocking false). The registry retries soon.",
            LATER,
        ),
        ProbeFault::AnswerShape => row(
            "answer_shape",
            "remote partial (neither message nor task)",
            "Answer SendMessage with {\"message\": …} or {\"task\": …}, and message/send with an object of kind message or task.",
            PARTIAL,
        ),
        ProbeFault::AuthRequired { status } => row(
            "auth_required",
            format!("remote partial {status} (authentication required)"),
            "Let anonymous callers do the handshake and list tools or skills, and require credentials only for work. The registry never sends credentials.",
            PARTIAL,
        ),
        ProbeFault::GatedUnproven { status } => row(
            "gated_unproven",
            format!("remote partial {status} (gated, protocol unproven)"),
            "Open the handshake to anonymous callers, or answer 401 with WWW-Authenticate: Bearer resource_metadata=\"…\" and serve /.well-known/oauth-protected-resource.",
            PARTIAL,
        ),
        ProbeFault::PaymentRequired => row(
            "payment_required",
            "remote partial 402 (payment required)",
            "Keep the handshake free of charge, and require payment only for work. The registry never pays.",
            PARTIAL,
        ),

        ProbeFault::NotMcp { status } => row(
            "not_mcp",
            format!("remote fail {status} (not MCP)"),
            "This URL answers, but not in MCP. Publish the MCP endpoint itself (often /mcp), which accepts POST with JSON-RPC.",
            FAIL,
        ),
        ProbeFault::BadJsonRpc => row(
            "bad_jsonrpc",
            "remote fail 200 (malformed JSON-RPC)",
            "Echo the request's id unchanged in an object with jsonrpc \"2.0\" and either result or error.",
            FAIL,
        ),
        ProbeFault::InitializeRefused => row(
            "initialize_refused",
            "remote partial (initialize refused)",
            "Answer server/discover (2026-07-28), or answer initialize; if you do not know the requested revision, answer with the newest one that you know.",
            PARTIAL,
        ),
        ProbeFault::WrongTransport => row(
            "wrong_transport",
            "remote fail (wrong transport)",
            "The transport found is not the one declared. Correct remotes[].type (streamable-http or sse), or publish the URL of the declared transport.",
            FAIL,
        ),
        ProbeFault::SseLegacy => row(
            "sse_legacy",
            "remote partial (HTTP+SSE only)",
            "Only the deprecated HTTP+SSE transport is offered. Serve Streamable HTTP (one path that accepts POST), and publish that URL.",
            PARTIAL,
        ),
        ProbeFault::ToolsFailed => row(
            "tools_failed",
            "remote partial (tools/list failed)",
            "Answer tools/list with a result that contains tools[], or do not announce the tools capability.",
            PARTIAL,
        ),
        ProbeFault::NotAcceptable { speaks } => row(
            "accept_406",
            if *speaks { "remote partial 406 (nonconforming Accept)" } else { "remote fail 406" },
            "Accept requests whose Accept header lists application/json and text/event-stream; every MCP client sends it.",
            if *speaks { PARTIAL } else { FAIL },
        ),
        ProbeFault::ContentTypeRefused => row(
            "ctype_415",
            "remote fail 415",
            "Accept POST with content-type application/json, with or without a charset.",
            FAIL,
        ),

        ProbeFault::Templated => row(
            "template",
            "skip (templated URL)",
            "The URL contains a placeholder that only a user can fill. Publish a remote with a complete URL to have it probed.",
            SKIP,
        ),
        ProbeFault::NeedsConfig => row(
            "needs_config",
            "skip (needs a header or secret)",
            "A header or variable without a public value is required. Offer a remote that lists its tools without it.",
            SKIP,
        ),
        ProbeFault::StdioOnly => row(
            "stdio",
            "skip (stdio only)",
            "Only packages to run locally are declared. Add a remote (streamable-http) to have it probed.",
            SKIP,
        ),
        ProbeFault::OptedOut => row(
            "opted_out",
            "skip (opted out)",
            "The owner asked not to be probed. Withdraw the opt-out and publish again to be listed.",
            SKIP,
        ),
        ProbeFault::Flaky => row(
            "flaky",
            "remote fail (alternating results)",
            "Recent probes ended differently. Look for one bad instance behind the load balancer, and for limits that only some requests exceed.",
            UNKNOWN,
        ),
    }
}

/// The contract calls a failed connection a preflight reject, unless it occurs later.
fn unreached_row(stage: Stage, cause: ConnectError) -> Row {
    let (code, what, fix, class) = match cause {
        ConnectError::HostNotFound => (
            "dns_nxdomain",
            "host not found",
            "Publish a DNS record for this host, or publish the listing again with the right host name.",
            FAIL,
        ),
        ConnectError::ResolverFailed => (
            "dns_failed",
            "host lookup failed",
            "The name servers of this domain did not answer. Check the zone's delegation; the registry retries soon.",
            UNKNOWN,
        ),
        ConnectError::Refused => (
            "conn_refused",
            "connection refused",
            "Start the server and let it listen on port 443 of this host, then publish again.",
            FAIL,
        ),
        ConnectError::Tls => (
            "tls_error",
            "TLS error",
            "Serve a certificate that is valid for this host, with its full chain, and TLS 1.2 or 1.3.",
            FAIL,
        ),
        ConnectError::NotPublic => (
            "blocked_ip",
            "address not public",
            "The registry only calls public addresses. Publish a URL that is reachable from the internet.",
            SKIP,
        ),
        ConnectError::OwnHost => (
            "own_host",
            "the registry's own host",
            "This URL leads to the registry itself, which probes only its own agent and MCP server there. Publish the address of your own server.",
            SKIP,
        ),
        ConnectError::Url => (
            "url_refused",
            "URL not allowed",
            "Use an https URL with a public host name, on port 443, without user name or password.",
            FAIL,
        ),
    };
    let words = match stage {
        Stage::Preflight => format!("preflight reject ({what})"),
        Stage::Probe => format!("remote fail ({what})"),
    };
    row(code, words, fix, class)
}

fn http_row(resource: ProbedResource, status: u16) -> Row {
    let word = resource.word();
    let note = match (resource, status) {
        (ProbedResource::Card, 404 | 410) => " (no card)",
        _ => "",
    };
    let text = format!("{word} fail {status}{note}");
    let (code, fix, class): (Cow<'static, str>, _, _) = match (resource, status) {
        (_, 429) => (
            "rate_limited".into(),
            "The server limits the rate of requests. If it was only busy, there is nothing to do; otherwise allow a few requests per hour. The registry retries soon.",
            UNKNOWN,
        ),
        (_, 500..) => (
            "http_5xx".into(),
            "The server failed. Look for the request in your log; the registry retries soon.",
            UNKNOWN,
        ),
        (ProbedResource::Card, 404 | 410) => (
            "card_404".into(),
            "Serve the agent card at this URL, commonly /.well-known/agent-card.json, or publish its actual URL.",
            FAIL,
        ),
        (ProbedResource::Card, 402) => (
            "card_402".into(),
            "Serve the agent card free of charge: it is how callers learn what they would pay for.",
            FAIL,
        ),
        (ProbedResource::Card, 401 | 403) => (
            format!("card_{status}").into(),
            "Serve the agent card to anonymous callers: a public card needs no credentials. Check bot walls and bucket permissions.",
            FAIL,
        ),
        (ProbedResource::Card, _) => {
            (format!("card_{status}").into(), "Answer a GET of this URL with 200 and the agent card.", FAIL)
        }
        (ProbedResource::Remote, 404 | 410) => (
            "http_404".into(),
            "There is nothing at this URL. Publish the URL of the endpoint itself, including its path.",
            FAIL,
        ),
        (ProbedResource::Remote, _) => (
            format!("http_{status}").into(),
            "The endpoint refuses the protocol's POST. Check that the published URL is the endpoint's, and that proxies let POST through.",
            FAIL,
        ),
    };
    (code, text, fix.into(), class)
}

const fn rule_row(rule: ConformanceRule) -> (&'static str, &'static str) {
    match rule {
        ConformanceRule::ResultType => (
            "result_type",
            "Put resultType (\"complete\") into every result under 2026-07-28: the official clients refuse results without it.",
        ),
        ConformanceRule::Caching => (
            "caching",
            "Put ttlMs and cacheScope into the results of server/discover and tools/list under 2026-07-28: the official clients refuse results without them.",
        ),
        ConformanceRule::IdEcho => {
            ("id_echo", "Echo the request's id with its JSON type: a number stays a number.")
        }
        ConformanceRule::Batch => ("batch", "Answer one request with one object, never with an array."),
        ConformanceRule::JsonRpcMember => ("jsonrpc", "Put \"jsonrpc\": \"2.0\" into every reply."),
        ConformanceRule::Notification => {
            ("notification", "Accept a notification with status 202 and an empty body; it has no reply.")
        }
        ConformanceRule::ToolShape => (
            "tool_shape",
            "Give every tool a name of 1 to 128 characters and an inputSchema that is an object ({\"type\": \"object\"} at least), its title and description as texts, its annotations and outputSchema as objects.",
        ),
        ConformanceRule::ToolNames => ("tool_names", "Give every tool a unique name."),
        ConformanceRule::Cursor => {
            ("cursor", "Give nextCursor as a text, leave it out on the last page, and never repeat one.")
        }
        ConformanceRule::Revision => (
            "revision",
            "Answer initialize with a revision of MCP that exists: 2025-11-25, or an earlier one that you implement.",
        ),
        ConformanceRule::ResultShape => (
            "result_shape",
            "Give the field the type that the revision's schema asks for: capabilities is an object, serverInfo has name and version as texts, instructions is a text. The official clients refuse the result otherwise.",
        ),
        ConformanceRule::Headers => (
            "headers",
            "Requests with correct MCP-Protocol-Version and Mcp-Method headers are refused (-32020 or -32021). Let proxies pass these headers on.",
        ),
    }
}
