//! The table of faults: the code, the words of the specification, the fix, and the class of each fault. The
//! match is exhaustive, so that every fault has a fix. A fix is written for the owner of the listing, who may
//! be an agent that acts alone.

use std::borrow::Cow;

use super::fault::{ConformanceRule, ConnectError, ProbeFault, ProbedResource, Stage};
use super::sign_in::flaw_row;
use super::{Class, FAIL, LATER, PARTIAL, SKIP, UNKNOWN};
use registry_fetch::TlsFailure;

pub(super) type Row = (Cow<'static, str>, String, Cow<'static, str>, Class);

fn row(code: &'static str, words: impl Into<String>, fix: &'static str, class: Class) -> Row {
    (code.into(), words.into(), fix.into(), class)
}

const TO_BE_LIVE: &str = "To be Live, allow initialize and tools/list without credentials, and require them only \
    for tools/call.";

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
        ProbeFault::NotACard { status, fix } => {
            row("not_a_card", format!("card fail {status} (non-card body)"), fix, FAIL)
        }
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
            "Answer a GET of this URL within this time. The usual cause is a cold start: keep one instance \
             warm, or serve the card from a CDN. The registry retries soon.",
            UNKNOWN,
        ),
        ProbeFault::ProbeTimeout { ms } => row(
            "timeout",
            format!("remote timeout ({ms} ms)"),
            "Answer the whole handshake within this time. Check that the endpoint runs and ends its \
             responses. The registry retries soon.",
            UNKNOWN,
        ),
        ProbeFault::RequestsUsedUp => row(
            "requests_used_up",
            "remote fail (more than ten requests)",
            "Let the handshake need at most ten requests: answer each request at its first URL, without refusals \
             and redirects between.",
            FAIL,
        ),
        ProbeFault::ConnectionLost => row(
            "conn_lost",
            "remote fail (connection lost)",
            "The connection broke before an answer was complete. Check the server for crashes and the proxy \
             for limits. If the port speaks TLS, publish the URL with https. The registry retries soon.",
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
            "Publish the final URL. For an endpoint, the registry follows one redirect (307 or 308) on the \
             same origin. For a card, it follows three redirects. It never follows a redirect from https to \
             http.",
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
            "Keep each answer of the handshake under 1 MiB. Split the tools/list result into pages with \
             nextCursor, and shorten descriptions.",
            FAIL,
        ),
        ProbeFault::TooMuch => row(
            "answers_too_large",
            "remote fail 200 (too much to read)",
            "Keep all answers of a handshake together under 4 MiB and 100000 JSON values.",
            FAIL,
        ),
        ProbeFault::TooManyTools => row(
            "too_many_tools",
            "remote partial (too many tools)",
            "Offer at most 2000 tools, with all pages of tools/list together under 4 MiB and 100000 JSON \
             values, and each page under 1 MiB. Split the list into pages with nextCursor, and shorten the \
             schemas.",
            PARTIAL,
        ),
        ProbeFault::Waf { resource, status } => row(
            "waf",
            format!("{} fail {status} (bot wall)", resource.word()),
            "A bot protection page answers instead of the server. Allow machine clients on this path, or \
             allow the registry's User-Agent. The registry retries soon.",
            UNKNOWN,
        ),

        ProbeFault::HostRefused { resource, status } => row(
            "host_refused",
            format!("{} fail {status} (host name refused)", resource.word()),
            "The server refuses the host name of this URL. Add the name to the allowed hosts of the framework or proxy \
             (for example allowed_hosts, or the transport security of the MCP SDK).",
            FAIL,
        ),
        ProbeFault::PlainHttp { resource } => row(
            "plain_http",
            format!("{} fail 400 (http to a TLS port)", resource.word()),
            "The port speaks TLS. Publish the URL with https.",
            FAIL,
        ),

        ProbeFault::NothingFound { status } => row(
            "nothing_found",
            match status {
                Some(status) => format!("card fail {status} (no card)"),
                None => "card fail (no card)".to_owned(),
            },
            "Serve an agent card at a path that was tried: /.well-known/agent-card.json, /.well-known/agent.json, /agent-card.json or /agent.json; of a site, /mcp was tried too. Or publish the exact URL of the card (agent_card_url) or of the MCP endpoint (mcp_url).",
            FAIL,
        ),
        ProbeFault::GrpcOnly => row(
            "grpc_only",
            "remote partial (gRPC only)",
            "In addition to gRPC, offer an interface with JSONRPC or HTTP+JSON, and list it in \
             supportedInterfaces.",
            PARTIAL,
        ),
        ProbeFault::NoInterface => row(
            "no_interface",
            "card fail 200 (no usable interface)",
            "In supportedInterfaces, declare an interface with its URL and with protocolBinding JSONRPC or \
             HTTP+JSON.",
            FAIL,
        ),
        ProbeFault::InterfaceUrl => row(
            "interface_url",
            "card fail 200 (interface URL not allowed)",
            "The interface URL in the card must be an absolute https URL with a public host name. Replace \
             localhost and placeholders.",
            FAIL,
        ),
        ProbeFault::ForeignInterface => row(
            "interface_domain",
            "remote fail (interface on another domain)",
            "Serve the interface and the card on the same domain. The registry does not call an interface on \
             another domain.",
            FAIL,
        ),
        ProbeFault::NotA2a => row(
            "not_a2a",
            "remote fail 200 (not A2A)",
            "The interface URL in the card does not answer in A2A. Use the URL of the JSON-RPC or REST \
             endpoint itself, not of a web page.",
            FAIL,
        ),
        ProbeFault::OtherDialect { declared, spoken } => (
            "other_dialect".into(),
            "remote partial (another A2A version)".into(),
            format!(
                "The card says version {declared}, but the endpoint knows only the methods of {spoken}. Write {spoken} as \
                 protocolVersion of the interface, or implement {declared}: clients call what the card says."
            )
            .into(),
            PARTIAL,
        ),
        ProbeFault::UnknownMethods => row(
            "unknown_methods",
            "remote fail 200 (no A2A method known)",
            "The interface answers JSON-RPC, but knows neither SendMessage (1.0) nor message/send (0.3). \
             Implement one of these methods, or correct the URL of the interface.",
            FAIL,
        ),
        ProbeFault::MessageRefused => row(
            "message_refused",
            "remote partial (message refused)",
            "Accept a plain text message (text/plain, role user) with SendMessage or message/send. It is \
             enough to answer with a message, or with a task in any state.",
            PARTIAL,
        ),
        ProbeFault::MessageFailed => row(
            "message_failed",
            "remote partial (internal error on a message)",
            "The agent answered a plain text message with an internal error. Check its log. The usual cause \
             is the API key or the quota of its language model.",
            PARTIAL,
        ),
        ProbeFault::MessageTimeout => row(
            "message_timeout",
            "remote timeout (no answer to a message)",
            "Answer a message within seconds. If returnImmediately is true (in 0.3: blocking is false), it \
             is enough to answer with a task in state submitted or working. The registry retries soon.",
            LATER,
        ),
        ProbeFault::AnswerShape => row(
            "answer_shape",
            "remote partial (neither message nor task)",
            "Answer SendMessage with {\"message\": …} or {\"task\": …}, and message/send with an object of kind message or task; in JSON with status 200. An event stream answers only the streaming methods.",
            PARTIAL,
        ),
        ProbeFault::AuthRequired { status } => row(
            "auth_required",
            format!("remote partial {status} (authentication required)"),
            "Allow callers without credentials to do the handshake and to list tools or skills. Require \
             credentials only for real work.",
            PARTIAL,
        ),
        ProbeFault::SignIn { flaw, temporary } => {
            let (name, fix) = flaw_row(*flaw);
            (
                format!("sign_in:{name}").into(),
                format!("remote partial (sign-in: {name})"),
                format!("{fix} The listing is then gated. {TO_BE_LIVE}").into(),
                if *temporary { LATER } else { PARTIAL },
            )
        }
        ProbeFault::GatedUnproven { status } => (
            "gated_unproven".into(),
            format!("remote partial {status} (gated, protocol unproven)"),
            format!(
                "{TO_BE_LIVE} To be listed as gated instead, answer 401 with WWW-Authenticate: Bearer \
                 resource_metadata=\"…\", and serve /.well-known/oauth-protected-resource with resource and \
                 authorization_servers."
            )
            .into(),
            PARTIAL,
        ),
        ProbeFault::PaymentRequired => row(
            "payment_required",
            "remote partial 402 (payment required)",
            "Keep the handshake free of charge, and require payment only for real work. The registry never \
             pays.",
            PARTIAL,
        ),

        ProbeFault::NotMcp { status } => row(
            "not_mcp",
            format!("remote fail {status} (not MCP)"),
            "This URL answers, but not in MCP. Publish the MCP endpoint itself (often /mcp), which accepts POST with JSON-RPC.",
            FAIL,
        ),
        ProbeFault::EndpointElsewhere { url } => (
            "endpoint_elsewhere".into(),
            "remote fail (MCP at another path)".into(),
            format!("Publish {url} instead: an MCP server answers there.").into(),
            FAIL,
        ),
        ProbeFault::BadJsonRpc => row(
            "bad_jsonrpc",
            "remote fail 200 (malformed JSON-RPC)",
            "Answer with an object that has jsonrpc \"2.0\", the unchanged id of the request, and either \
             result or error.",
            FAIL,
        ),
        ProbeFault::InitializeRefused => row(
            "initialize_refused",
            "remote partial (initialize refused)",
            "Answer server/discover (2026-07-28) or initialize. If you do not support the requested \
             revision, answer with the newest revision that you support.",
            PARTIAL,
        ),
        ProbeFault::VersionRefused => row(
            "version_refused",
            "remote partial (version refused)",
            "Answer initialize with the newest revision that the server supports, also if another one was requested: an \
             error ends the conversation of every client.",
            PARTIAL,
        ),
        ProbeFault::WrongTransport => row(
            "wrong_transport",
            "remote fail (wrong transport)",
            "The server does not use the declared transport. Correct remotes[].type (streamable-http or \
             sse), or publish the URL of the declared transport.",
            FAIL,
        ),
        ProbeFault::SseLegacy => row(
            "sse_legacy",
            "remote partial (HTTP+SSE only)",
            "The server offers only the deprecated HTTP+SSE transport. Serve Streamable HTTP (one path that \
             accepts POST), and publish the URL of that path.",
            PARTIAL,
        ),
        ProbeFault::ToolsFailed => row(
            "tools_failed",
            "remote partial (tools/list failed)",
            "Answer tools/list with a result that contains tools[], or do not announce the tools capability.",
            PARTIAL,
        ),
        ProbeFault::ReplyPostponed => row(
            "reply_postponed",
            "remote partial (reply postponed)",
            "The server ended its event stream before the reply, and a GET with Last-Event-ID did not bring it. \
             Answer such a GET with the reply, or keep the stream open until the reply is sent.",
            LATER,
        ),
        ProbeFault::NotAcceptable { speaks } => row(
            "accept_406",
            if *speaks { "remote partial 406 (nonconforming Accept)" } else { "remote fail 406" },
            "Accept requests whose Accept header lists application/json and text/event-stream. Every MCP \
             client sends this header.",
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
            "The URL contains a placeholder that only a user can fill in. Add an entry with a complete URL \
             to remotes. The registry can then probe the server.",
            SKIP,
        ),
        ProbeFault::NeedsConfig => row(
            "needs_config",
            "skip (needs a header or secret)",
            "The server requires a header or variable that has no public value. Add an entry to remotes \
             whose server lists its tools without this value.",
            SKIP,
        ),
        ProbeFault::StdioOnly => row(
            "stdio",
            "skip (stdio only)",
            "The server description declares only packages that run locally. Add an entry of type \
             streamable-http to remotes. The registry can then probe the server.",
            SKIP,
        ),
        ProbeFault::PackageUnchecked => row(
            "package_unchecked",
            "skip (package type not checked)",
            "Nothing to fix: the registry does not check packages of this type, from this source or with these \
             arguments. To be probed, add an entry of type streamable-http to remotes.",
            SKIP,
        ),
        ProbeFault::NothingDeclared => row(
            "nothing_declared",
            "skip (neither package nor remote)",
            "The server description declares neither packages nor remotes. Add the one that the server has.",
            SKIP,
        ),
        ProbeFault::PackageMissing => row(
            "package_missing",
            "skip (package not found)",
            "The registry of the package does not know this package or version. Publish the package, or correct \
             `identifier` and `version` in packages.",
            SKIP,
        ),
        ProbeFault::PackageUnnamed => row(
            "package_unnamed",
            "skip (package of another server)",
            "Add the name of the server to the package and publish it again: as `mcpName` to package.json (npm), or \
             as \"mcp-name: <name>\" to the README (PyPI).",
            SKIP,
        ),
        ProbeFault::PackageUnreached => row(
            "package_unreached",
            "remote fail (package registry did not answer)",
            "Nothing to fix: the registry of the package did not answer. The check will be repeated.",
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
            "The name servers of this domain did not answer. Check the delegation of the DNS zone. The \
             registry retries soon.",
            UNKNOWN,
        ),
        ConnectError::Refused => (
            "conn_refused",
            "connection refused",
            "Start the server and let it listen on the port of this URL, then publish again.",
            FAIL,
        ),
        ConnectError::Tls(failure) => tls_row(failure),
        ConnectError::NotPublic => (
            "blocked_ip",
            "address not public",
            "The registry only calls public addresses. Publish a URL that is reachable from the internet.",
            SKIP,
        ),
        ConnectError::OwnHost => (
            "own_host",
            "the registry's own host",
            "This URL leads to the registry itself. Publish the URL of your own server.",
            SKIP,
        ),
        ConnectError::Url => (
            "url_refused",
            "URL not allowed",
            "Use an https URL with a public host name, on port 443 or 8443, without user name or password.",
            FAIL,
        ),
    };
    let words = match stage {
        Stage::Preflight => format!("preflight reject ({what})"),
        Stage::Probe => format!("remote fail ({what})"),
    };
    row(code, words, fix, class)
}

const fn tls_row(failure: TlsFailure) -> (&'static str, &'static str, &'static str, Class) {
    let (code, what, fix) = match failure {
        TlsFailure::Expired => (
            "tls_expired",
            "TLS certificate expired",
            "Renew the certificate, and let the server load the new one.",
        ),
        TlsFailure::WrongName => (
            "tls_wrong_name",
            "TLS certificate of another host",
            "Serve a certificate that names the host of this URL, or publish the URL with the host that the \
             certificate names.",
        ),
        TlsFailure::UnknownIssuer => (
            "tls_unknown_issuer",
            "TLS certificate not trusted",
            "Serve a certificate that a public authority, such as Let's Encrypt, issued for the host name, and send \
             its full chain.",
        ),
        TlsFailure::PlainText => (
            "tls_plain_text",
            "no TLS at this port",
            "This port answers in plain text. Let the server speak TLS at it, or publish the URL of the port that \
             does. A registry in development also accepts http on loopback.",
        ),
        TlsFailure::Other => (
            "tls_error",
            "TLS error",
            "Serve a certificate that is valid for this host, with its full chain, and TLS 1.2 or 1.3.",
        ),
    };
    (code, what, fix, FAIL)
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
            "The server limits the rate of requests. If it was only busy, you need to do nothing. Otherwise \
             allow a few requests per hour. The registry retries soon.",
            UNKNOWN,
        ),
        (_, 500..) => (
            "http_5xx".into(),
            "The server failed. Find the request in the log of your server. The registry retries soon.",
            UNKNOWN,
        ),
        (ProbedResource::Card, 404 | 410) => (
            "card_404".into(),
            "Serve the agent card at this URL (usually /.well-known/agent-card.json), or publish the correct \
             URL of the card.",
            FAIL,
        ),
        (ProbedResource::Card, 402) => (
            "card_402".into(),
            "Serve the agent card free of charge, so that callers can read it before they pay.",
            FAIL,
        ),
        (ProbedResource::Card, 401 | 403) => (
            format!("card_{status}").into(),
            "Serve the agent card to callers without credentials. Check the bot protection and the \
             permissions of the bucket.",
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
            "The endpoint refuses the POST requests of the protocol. Check that you published the URL of the \
             endpoint, and that no proxy blocks POST.",
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
        ConformanceRule::Status => {
            ("status", "Answer a request with status 200: clients read no result with another status.")
        }
        ConformanceRule::ContentType => (
            "content_type",
            "Send a JSON body with content-type application/json, and an event stream with text/event-stream: clients \
             refuse results with other types.",
        ),
        ConformanceRule::Stream => (
            "stream",
            "Name the event of a reply `message` or leave its name out, and end each event with a blank line: clients \
             ignore other events.",
        ),
        ConformanceRule::Caching => (
            "caching",
            "Put ttlMs and cacheScope into the results of server/discover and tools/list under 2026-07-28: the official clients refuse results without them.",
        ),
        ConformanceRule::IdEcho => {
            ("id_echo", "Return the id of the request with the same JSON type: a number stays a number.")
        }
        ConformanceRule::Batch => ("batch", "Answer one request with one object, never with an array."),
        ConformanceRule::JsonRpcMember => ("jsonrpc", "Put \"jsonrpc\": \"2.0\" into every reply."),
        ConformanceRule::Notification => {
            ("notification", "Answer a notification with status 202 and an empty body.")
        }
        ConformanceRule::ToolShape => (
            "tool_shape",
            "Give every tool a name, and an inputSchema that is at least {\"type\": \"object\"} and valid JSON Schema; \
             the same holds for an outputSchema. If a tool has a title or a description, it must be a text. Its \
             annotations must be an object, and its icons a list of objects with `src`.",
        ),
        ConformanceRule::ToolNames => ("tool_names", "Give every tool a unique name of 1 to 128 characters."),
        ConformanceRule::Cursor => (
            "cursor",
            "Return nextCursor as a string. Leave it out on the last page, and never return the \
                same nextCursor twice.",
        ),
        ConformanceRule::Revision => (
            "revision",
            "Answer initialize with a revision of MCP that exists: 2025-11-25, or an earlier one that you implement.",
        ),
        ConformanceRule::ResultShape => (
            "result_shape",
            "Use the type that the schema of the revision requires. capabilities is an object, instructions \
             is a text, and serverInfo has the texts name and version. Otherwise the official clients refuse \
             the result.",
        ),
        ConformanceRule::Headers => (
            "headers",
            "The server refuses requests with correct MCP-Protocol-Version and Mcp-Method headers (-32020 or \
             -32021). Check that proxies forward these headers.",
        ),
    }
}
