//! The list of faults: every cause that prevents an `ok`, as data without texts. The texts are in `faults.tsv`.
//! So the code that talks to a server can report a fault without knowing its text.

use registry_fetch::TlsFailure;
use registry_formats::agent_card::CardViolation;
use registry_model::string_enum;

string_enum! {
    pub enum ProbedResource {
        Card = "card",
        Remote = "remote",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Preflight,
    Probe,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectError {
    HostNotFound,
    /// The name servers gave no answer.
    ResolverFailed,
    Refused,
    Tls(TlsFailure),
    NotPublic,
    OwnHost,
    /// Scheme, port, user information or IP literal.
    Url,
}

string_enum! {
    /// A rule of MCP that official clients or servers enforce. A handshake can break it and still work.
    pub enum ConformanceRule {
        ResultType = "result_type",
        /// A result with another status than 200.
        Status = "status",
        /// A result with another content type than that of its form.
        ContentType = "content_type",
        /// An event that clients do not read: with another name than `message`, or without a blank line after it.
        Stream = "stream",
        /// A cacheable 2026-07-28 result without `ttlMs` or `cacheScope`.
        Caching = "caching",
        IdEcho = "id_echo",
        Batch = "batch",
        JsonRpcMember = "jsonrpc",
        /// A notification was not accepted with 202 (200 and 204 are tolerated).
        Notification = "notification",
        ToolShape = "tool_shape",
        ToolNames = "tool_names",
        /// A cursor of `tools/list` that repeats, or is not a text.
        Cursor = "cursor",
        Revision = "revision",
        ResultShape = "result_shape",
        /// A 2026-07-28 server refuses correct headers or capabilities (-32020, -32021).
        Headers = "headers",
    }
}

impl ConformanceRule {
    /// Clients accept what breaks this rule: the specification says SHOULD, or they convert the value.
    pub(crate) const fn only_warns(self) -> bool {
        matches!(self, Self::IdEcho | Self::ToolNames)
    }
}

string_enum! {
    /// A flaw of a sign-in that prevents an official client from getting a token: a part that is missing or wrong
    /// (MCP 2026-07-28, basic/authorization; RFC 9728; RFC 8414).
    pub enum SignInFlaw {
        NoChallenge = "no_challenge",
        Scheme = "scheme",
        Status403 = "status_403",
        MetadataMissing = "metadata_missing",
        MetadataNotJson = "metadata_not_json",
        Resource = "resource",
        NoServers = "no_authorization_servers",
        Redirected = "redirected",
        ServerUnreached = "authorization_server_unreached",
        ServerMetadataMissing = "authorization_server_metadata",
        Issuer = "issuer",
        NoAuthorizationEndpoint = "no_authorization_endpoint",
        NoTokenEndpoint = "no_token_endpoint",
        PlainHttp = "not_https",
        NoS256 = "no_s256",
        /// Only a hint: clients that were registered by hand can sign in.
        NoRegistration = "no_registration",
    }
}

/// Everything that prevents an `ok` (MCP decision table, A2A table, the `specification.md#failure-reasons`). A number is the
/// HTTP status of the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProbeFault {
    PreflightTimeout,
    ProbeTimeout,
    Unreached(Stage, ConnectError),
    /// The handshake needs more requests than a probe sends.
    RequestsUsedUp,
    ConnectionLost,
    BadEncoding,
    Redirected(ProbedResource, Option<u16>),
    TooLarge(ProbedResource),
    /// The answers exceed the response budget of a probe.
    TooMuch,
    Http(ProbedResource, u16),
    Waf(ProbedResource, u16),
    /// The server accepts only requests to other host names.
    HostRefused(ProbedResource, u16),
    /// The port speaks TLS, and the URL begins with http.
    PlainHttp(ProbedResource),

    NotACard {
        status: u16,
        fix: &'static str,
    },
    InvalidCard(u16, CardViolation),
    BrokenCardRule(CardViolation),
    /// No card at any card path of a site, and no MCP server at its address. The status is that of the likeliest path.
    NothingFound(Option<u16>),
    GrpcOnly,
    NoInterface,
    InterfaceUrl,
    /// The interface belongs to another owner than the card, and is therefore not called.
    ForeignInterface,
    NotA2a,
    UnknownMethods,
    /// The endpoint speaks another version than its card says, and official clients do not try another one.
    OtherDialect {
        declared: &'static str,
        spoken: &'static str,
    },
    MessageRefused,
    MessageFailed,
    MessageTimeout,
    AnswerShape,

    /// Credentials are required, by a peer that is proven to speak the protocol or says how to get them.
    AuthRequired(u16),
    GatedUnproven(u16),
    /// The server asks for a sign-in that clients cannot complete.
    SignIn {
        flaw: SignInFlaw,
        /// A request failed in a way that may be temporary.
        temporary: bool,
    },
    PaymentRequired,

    NotMcp(u16),
    /// Nothing is at the published path, and an MCP server at this URL of the same host.
    EndpointElsewhere(String),
    BadJsonRpc,
    InitializeRefused,
    /// The server answers `initialize` with an error about the revision, instead of with one that it supports.
    VersionRefused,
    WrongTransport,
    SseLegacy,
    ToolsFailed,
    /// A stream ended before the reply, and a poll did not bring it.
    ReplyPostponed,
    /// The handshake succeeded, but the list of tools exceeds the limits of a probe.
    TooManyTools,
    Nonconforming(ConformanceRule),
    /// 406 to a request that accepts both JSON and SSE.
    /// `speaks`: a single media type works, or the refusal itself is JSON-RPC.
    NotAcceptable {
        speaks: bool,
    },
    ContentTypeRefused,

    Templated,
    NeedsConfig,
    StdioOnly,
    /// Packages of types that the registry does not check.
    PackageUnchecked,
    /// The description names neither a package nor a remote.
    NothingDeclared,
    /// The package registry does not know the package or this version.
    PackageMissing,
    /// The metadata of the package does not contain the name of the server.
    PackageUnnamed,
    PackageUnreached,
}

impl ProbeFault {
    /// The card is missing, cannot be read, breaks the specification, or names no interface that can be called.
    pub(crate) const fn is_about_card(&self) -> bool {
        use ProbedResource::Card;
        matches!(
            self,
            Self::NotACard { .. }
                | Self::InvalidCard(..)
                | Self::BrokenCardRule(..)
                | Self::NothingFound(..)
                | Self::NoInterface
                | Self::InterfaceUrl
                | Self::Http(Card, _)
                | Self::Redirected(Card, _)
                | Self::TooLarge(Card)
                | Self::Waf(Card, _)
                | Self::HostRefused(Card, _)
                | Self::PlainHttp(Card)
        )
    }

    /// The network, TLS or a guard kept the probe from the server. So what it did not find says nothing.
    pub(crate) const fn prevents_contact(&self) -> bool {
        matches!(
            self,
            Self::PreflightTimeout
                | Self::ProbeTimeout
                | Self::RequestsUsedUp
                | Self::Unreached(..)
                | Self::ConnectionLost
                | Self::Waf(..)
                | Self::HostRefused(..)
                | Self::PlainHttp(..)
                | Self::Http(_, 429 | 500..)
        )
    }
}
