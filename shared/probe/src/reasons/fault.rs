//! The vocabulary of faults: everything that keeps a probe from being `ok`, as data and without a word of text.
//! It is apart from the table of texts, so that a conversation can name a fault without knowing how it is worded.

use registry_formats::agent_card::CardViolation;

/// What was being asked when a fault showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbedResource {
    /// The agent card.
    Card,
    /// The endpoint: the card's interface, or the MCP server.
    Remote,
}

impl ProbedResource {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Card => "card",
            Self::Remote => "remote",
        }
    }
}

/// When a connection was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Before any budget was spent.
    Preflight,
    /// In the probe itself, such as to the interface that a card names.
    Probe,
}

/// What keeps a connection from coming about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectError {
    /// The host name does not resolve.
    HostNotFound,
    /// The name servers failed to answer.
    ResolverFailed,
    /// Nothing listens at the address, or it cannot be reached.
    Refused,
    /// The TLS handshake failed.
    Tls,
    /// The host leads to an address that is not public.
    NotPublic,
    /// The host is the registry's own.
    OwnHost,
    /// The URL is of a kind that is never called: scheme, port, user information, IP literal.
    Url,
}

/// A rule of MCP that official clients or servers enforce and that a working handshake may still break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConformanceRule {
    /// A 2026-07-28 result without `resultType`.
    ResultType,
    /// A cacheable 2026-07-28 result without `ttlMs` or `cacheScope`.
    Caching,
    /// The request's id came back as another JSON type.
    IdEcho,
    /// One request was answered with an array.
    Batch,
    /// A reply without `"jsonrpc": "2.0"`.
    JsonRpcMember,
    /// A notification was not accepted with 202 (200 and 204 are let pass).
    Notification,
    /// A tool without a name of 1 to 128 characters or without a schema of an object, or with a field of a wrong type.
    ToolShape,
    /// Two tools of one name.
    ToolNames,
    /// A cursor of `tools/list` that leads in circles, or is no text.
    Cursor,
    /// `initialize` is answered with a revision that was never published.
    Revision,
    /// The result of `initialize` or `server/discover` lacks a required field, or has one of a wrong type.
    ResultShape,
    /// A 2026-07-28 server that finds fault with correct headers or capabilities (-32020, -32021).
    Headers,
}

/// Everything that keeps a probe from being `ok` (MCP decision table, A2A table, contract's failure reasons).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProbeFault {
    /// Nothing came back in the time a preflight has.
    PreflightTimeout {
        /// The time it had, in milliseconds.
        ms: u128,
    },
    /// Nothing came back in the time a probe has.
    ProbeTimeout {
        /// The time it had, in milliseconds.
        ms: u128,
    },
    /// No connection came about.
    Unreached {
        /// When it was tried.
        stage: Stage,
        /// What stood in the way.
        cause: ConnectError,
    },
    /// The connection broke while an answer was expected.
    ConnectionLost,
    /// A body that is not in the encoding that its header claims.
    BadEncoding,
    /// A redirect that is not followed.
    Redirected {
        /// Where it happened.
        resource: ProbedResource,
        /// The status of the redirect, where one was seen.
        status: Option<u16>,
    },
    /// An answer over the size limit.
    TooLarge {
        /// What was too large.
        resource: ProbedResource,
    },
    /// The answers of a probe are more work to read than a probe may cost.
    TooMuch,
    /// A status that refuses, by number.
    Http {
        /// Who answered it.
        resource: ProbedResource,
        /// The status.
        status: u16,
    },
    /// A bot wall answers instead of the server.
    Waf {
        /// What was asked for.
        resource: ProbedResource,
        /// The status it answers with.
        status: u16,
    },

    /// A 2xx at the card's URL, and no card in it.
    NotACard {
        /// The status.
        status: u16,
    },
    /// A card that no client could use.
    InvalidCard {
        /// The status it came with.
        status: u16,
        /// What is wrong with it.
        finding: CardViolation,
    },
    /// A card that clients can use, and that lacks what the specification requires.
    BrokenCardRule {
        /// What is wrong with it.
        violation: CardViolation,
    },
    /// No card at any of a site's card paths, and no MCP server at its address either.
    NothingFound {
        /// The status at the likeliest card path, where one was answered.
        status: Option<u16>,
    },
    /// Only gRPC interfaces are declared.
    GrpcOnly,
    /// No interface that can be called is declared.
    NoInterface,
    /// The interface's URL may not be called.
    InterfaceUrl,
    /// The interface belongs to another owner than the card, and is therefore asked nothing.
    ForeignInterface,
    /// The interface answers, and not in A2A.
    NotA2a,
    /// JSON-RPC is spoken, but no A2A method is known there.
    UnknownMethods,
    /// A2A is spoken, and a text message is refused.
    MessageRefused,
    /// A2A is spoken, and answering a text message ends in an internal error.
    MessageFailed,
    /// A2A is spoken, and a text message was not answered in time.
    MessageTimeout,
    /// The answer to a message is neither a message nor a task.
    AnswerShape,

    /// Credentials are asked for, by a peer that is proven to speak the protocol or says how to get them.
    AuthRequired {
        /// The status of the answer that says so.
        status: u16,
    },
    /// A bare 401 or 403: no proof of the server behind it.
    GatedUnproven {
        /// The status.
        status: u16,
    },
    /// 402: payment comes first.
    PaymentRequired,

    /// The endpoint answers, and not in MCP.
    NotMcp {
        /// The status it answers with.
        status: u16,
    },
    /// JSON-RPC in form, but of another id or otherwise broken.
    BadJsonRpc,
    /// JSON-RPC answers, and `initialize` is refused.
    InitializeRefused,
    /// The transport found is not the one declared.
    WrongTransport,
    /// Only the deprecated HTTP+SSE transport of 2024-11-05 is offered.
    SseLegacy,
    /// The handshake works and `tools/list` does not.
    ToolsFailed,
    /// The handshake works and a rule is broken.
    Nonconforming(ConformanceRule),
    /// 406 to a request that accepts both JSON and SSE.
    NotAcceptable {
        /// It works when one type alone is accepted, or the refusal itself is JSON-RPC.
        speaks: bool,
    },
    /// 415 to `application/json`.
    ContentTypeRefused,

    /// The URL holds a placeholder.
    Templated,
    /// A header, a variable or a secret is needed that only its user has.
    NeedsConfig,
    /// No remote: it runs on its user's machine.
    StdioOnly,
    /// Its owner asked not to be probed.
    OptedOut,
    /// Probes of one day ended differently.
    Flaky,
}
