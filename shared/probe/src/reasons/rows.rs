//! The table of faults, `faults.tsv`: the words of the specification, the fix, and the class of each fault. A row is found
//! by the code of its fault.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;
use std::time::Duration;

use super::fault::{ConnectError, ProbeFault, ProbedResource, Stage};
use registry_fetch::{PREFLIGHT, PROBE, TlsFailure};
use registry_model::Handshake;

const TO_BE_LIVE: &str = "To be Live, allow the handshake (initialize, notifications/initialized, tools/list) without \
    credentials, and require them only for tools/call.";

const TO_BE_GATED: &str = "To be listed as gated instead:";

/// How a fault counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    pub handshake: Handshake,
    /// The fault may be temporary: try again early.
    pub inconclusive: bool,
}

const FAIL: Class = Class { handshake: Handshake::Fail, inconclusive: false };
const UNKNOWN: Class = Class { handshake: Handshake::Fail, inconclusive: true };
const PARTIAL: Class = Class { handshake: Handshake::Partial, inconclusive: false };
const LATER: Class = Class { handshake: Handshake::Partial, inconclusive: true };
const SKIP: Class = Class { handshake: Handshake::Skip, inconclusive: false };

pub(super) struct Row {
    class: Class,
    words: &'static str,
    /// `None` if it depends on the card or the server.
    fix: Option<String>,
}

pub(super) static ROWS: LazyLock<HashMap<&str, Row>> = LazyLock::new(|| {
    let lines = include_str!("faults.tsv").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(read_row).collect()
});

fn read_row(line: &'static str) -> Option<(&'static str, Row)> {
    let mut columns = line.split('\t');
    let (code, class, words, fix) = (columns.next()?, columns.next()?, columns.next()?, columns.next()?);
    let class = match class {
        "fail" => FAIL,
        "unknown" => UNKNOWN,
        "partial" => PARTIAL,
        "later" => LATER,
        "skip" => SKIP,
        _ => return None,
    };
    let fix = Some(fix).filter(|fix| *fix != "-");
    let fix = fix.map(|fix| fix.replace("{to_be_live}", TO_BE_LIVE).replace("{to_be_gated}", TO_BE_GATED));
    Some((code, Row { class, words, fix }))
}

/// The fix for a code; `None` if no fault has it, and for the faults of a card's content, whose fix depends on the card.
/// The statistics store only codes.
pub fn fix_for(code: &str) -> Option<String> {
    ROWS.get(code).or_else(|| row_of_status(code)).and_then(|row| row.fix.clone())
}

/// The row of a status that has no row of its own.
fn row_of_status(code: &str) -> Option<&'static Row> {
    let (resource, status) = code.split_once('_')?;
    let is_status = [400, 401, 402, 403, 405, 406, 409, 418, 421].contains(&status.parse().ok()?);
    is_status.then(|| ROWS.get(format!("{resource}_*").as_str()))?
}

impl ProbeFault {
    pub fn code(&self) -> Cow<'static, str> {
        use ProbedResource::{Card, Remote};
        let code = match self {
            Self::InvalidCard(_, violation) | Self::BrokenCardRule(violation) => violation.code,
            Self::Http(_, 429) => "rate_limited",
            Self::Http(_, 500..) => "http_5xx",
            Self::Http(Card, 404 | 410) => "card_404",
            Self::Http(Remote, 404 | 410) => "http_404",
            Self::Http(Card, status) => return format!("card_{status}").into(),
            Self::Http(Remote, status) => return format!("http_{status}").into(),
            Self::Nonconforming(rule) => return format!("nonconforming:{}", rule.as_str()).into(),
            Self::SignIn { flaw, .. } => return format!("sign_in:{}", flaw.as_str()).into(),
            Self::Unreached(_, cause) => match cause {
                ConnectError::HostNotFound => "dns_nxdomain",
                ConnectError::ResolverFailed => "dns_failed",
                ConnectError::Refused => "conn_refused",
                ConnectError::Tls(TlsFailure::Expired) => "tls_expired",
                ConnectError::Tls(TlsFailure::WrongName) => "tls_wrong_name",
                ConnectError::Tls(TlsFailure::UnknownIssuer) => "tls_unknown_issuer",
                ConnectError::Tls(TlsFailure::PlainText) => "tls_plain_text",
                ConnectError::Tls(TlsFailure::Other) => "tls_error",
                ConnectError::NotPublic => "blocked_ip",
                ConnectError::OwnHost => "own_host",
                ConnectError::Url => "url_refused",
            },
            Self::PreflightTimeout => "preflight_timeout",
            Self::ProbeTimeout => "timeout",
            Self::RequestsUsedUp => "requests_used_up",
            Self::ConnectionLost => "conn_lost",
            Self::BadEncoding => "bad_encoding",
            Self::Redirected(..) => "redirected",
            Self::TooLarge(Card) => "card_too_large",
            Self::TooLarge(Remote) => "answer_too_large",
            Self::TooMuch => "answers_too_large",
            Self::TooManyTools => "too_many_tools",
            Self::Waf(..) => "waf",
            Self::HostRefused(..) => "host_refused",
            Self::PlainHttp(..) => "plain_http",
            Self::NotACard { .. } => "not_a_card",
            Self::NothingFound(..) => "nothing_found",
            Self::GrpcOnly => "grpc_only",
            Self::NoInterface => "no_interface",
            Self::InterfaceUrl => "interface_url",
            Self::ForeignInterface => "interface_domain",
            Self::NotA2a => "not_a2a",
            Self::OtherDialect { .. } => "other_dialect",
            Self::UnknownMethods => "unknown_methods",
            Self::MessageRefused => "message_refused",
            Self::MessageFailed => "message_failed",
            Self::MessageTimeout => "message_timeout",
            Self::AnswerShape => "answer_shape",
            Self::AuthRequired(..) => "auth_required",
            Self::GatedUnproven(..) => "gated_unproven",
            Self::PaymentRequired => "payment_required",
            Self::NotMcp(..) => "not_mcp",
            Self::EndpointElsewhere(..) => "endpoint_elsewhere",
            Self::BadJsonRpc => "bad_jsonrpc",
            Self::InitializeRefused => "initialize_refused",
            Self::VersionRefused => "version_refused",
            Self::WrongTransport => "wrong_transport",
            Self::SseLegacy => "sse_legacy",
            Self::ToolsFailed => "tools_failed",
            Self::ReplyPostponed => "reply_postponed",
            Self::NotAcceptable { .. } => "accept_406",
            Self::ContentTypeRefused => "ctype_415",
            Self::Templated => "template",
            Self::NeedsConfig => "needs_config",
            Self::StdioOnly => "stdio",
            Self::PackageUnchecked => "package_unchecked",
            Self::NothingDeclared => "nothing_declared",
            Self::PackageMissing => "package_missing",
            Self::PackageUnnamed => "package_unnamed",
            Self::PackageUnreached => "package_unreached",
        };
        code.into()
    }

    pub fn class(&self) -> Class {
        match self {
            Self::SignIn { temporary: true, .. } => LATER,
            Self::NotAcceptable { speaks: false } => FAIL,
            _ => self.row().class,
        }
    }

    /// The words of the specification.
    pub(super) fn words(&self) -> String {
        let (resource, status) = match self {
            Self::Http(resource, status)
            | Self::Waf(resource, status)
            | Self::HostRefused(resource, status) => (*resource, Some(*status)),
            Self::Redirected(resource, status) => (*resource, *status),
            Self::PlainHttp(resource) => (*resource, None),
            Self::NothingFound(status) => (ProbedResource::Card, *status),
            Self::NotACard { status, .. } | Self::InvalidCard(status, _) => {
                (ProbedResource::Card, Some(*status))
            }
            Self::AuthRequired(status) | Self::GatedUnproven(status) | Self::NotMcp(status) => {
                (ProbedResource::Remote, Some(*status))
            }
            Self::PreflightTimeout => return self.words_after(PREFLIGHT),
            Self::ProbeTimeout => return self.words_after(PROBE),
            // The contract calls a failed connection a preflight reject, unless it occurs later.
            Self::Unreached(stage, _) => {
                let stage = if *stage == Stage::Preflight { "preflight reject" } else { "remote fail" };
                return self.row().words.replace("{stage}", stage);
            }
            Self::NotAcceptable { speaks: false } => return "remote fail 406".to_owned(),
            _ => return self.row().words.to_owned(),
        };
        let status = status.map_or_else(String::new, |status| format!(" {status}"));
        self.row().words.replace("{resource}", resource.as_str()).replace(" {status}", &status)
    }

    fn words_after(&self, limit: Duration) -> String {
        self.row().words.replace("{ms}", &limit.as_millis().to_string())
    }

    /// How its owner fixes it.
    pub(super) fn fix(&self) -> String {
        match self {
            Self::InvalidCard(_, violation) | Self::BrokenCardRule(violation) => violation.fix.clone(),
            Self::NotACard { fix, .. } => (*fix).to_owned(),
            Self::OtherDialect { declared, spoken } => format!(
                "The card says version {declared}, but the endpoint knows only the methods of {spoken}. Write {spoken} as \
                 protocolVersion of the interface, or implement {declared}: clients call what the card says."
            ),
            Self::EndpointElsewhere(url) => {
                format!("Publish {url} instead: an MCP server answers there.")
            }
            _ => self.row().fix.clone().unwrap_or_default(),
        }
    }

    pub(super) fn row(&self) -> &'static Row {
        let code = match self {
            Self::InvalidCard(..) => "invalid_card".into(),
            Self::BrokenCardRule(..) => "broken_card_rule".into(),
            _ => self.code(),
        };
        // Only the other statuses have no row of their own.
        let any_status = match self {
            Self::Http(ProbedResource::Card, _) => "card_*",
            _ => "http_*",
        };
        ROWS.get(code.as_ref()).unwrap_or_else(|| &ROWS[any_status])
    }
}
