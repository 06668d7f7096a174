//! Tests the whole table of faults, row by row. Owners and statistics read the words of the table, so nobody
//! should change them by accident. If a row is missing here, nobody has reviewed it.

use std::collections::HashSet;

use super::*;
use registry_fetch::TlsFailure;
use registry_formats::agent_card::{CardFault, CardViolation, OtherDocument};

fn table() -> Vec<(ProbeFault, &'static str, &'static str, Class)> {
    use ProbedResource::{Card, Remote};
    let unreached = |stage, cause| ProbeFault::Unreached { stage, cause };
    vec![
        (
            ProbeFault::PreflightTimeout { ms: 2500 },
            "preflight_timeout",
            "preflight timeout (2500 ms)",
            UNKNOWN,
        ),
        (ProbeFault::ProbeTimeout { ms: 10_000 }, "timeout", "remote timeout (10000 ms)", UNKNOWN),
        (
            unreached(Stage::Preflight, ConnectError::HostNotFound),
            "dns_nxdomain",
            "preflight reject (host not found)",
            FAIL,
        ),
        (
            unreached(Stage::Preflight, ConnectError::ResolverFailed),
            "dns_failed",
            "preflight reject (host lookup failed)",
            UNKNOWN,
        ),
        (
            unreached(Stage::Preflight, ConnectError::Refused),
            "conn_refused",
            "preflight reject (connection refused)",
            FAIL,
        ),
        (
            unreached(Stage::Preflight, ConnectError::Tls(TlsFailure::Other)),
            "tls_error",
            "preflight reject (TLS error)",
            FAIL,
        ),
        (
            unreached(Stage::Probe, ConnectError::Tls(TlsFailure::Expired)),
            "tls_expired",
            "remote fail (TLS certificate expired)",
            FAIL,
        ),
        (
            ProbeFault::OtherDialect { declared: "1.0", spoken: "0.3" },
            "other_dialect",
            "remote partial (another A2A version)",
            PARTIAL,
        ),
        (ProbeFault::VersionRefused, "version_refused", "remote partial (version refused)", PARTIAL),
        (
            ProbeFault::EndpointElsewhere { url: "https://a.example.org/mcp".to_owned() },
            "endpoint_elsewhere",
            "remote fail (MCP at another path)",
            FAIL,
        ),
        (ProbeFault::RequestsUsedUp, "requests_used_up", "remote fail (more than ten requests)", FAIL),
        (ProbeFault::ReplyPostponed, "reply_postponed", "remote partial (reply postponed)", LATER),
        (
            unreached(Stage::Probe, ConnectError::Refused),
            "conn_refused",
            "remote fail (connection refused)",
            FAIL,
        ),
        (ProbeFault::BadEncoding, "bad_encoding", "remote fail (undecodable body)", FAIL),
        (ProbeFault::ConnectionLost, "conn_lost", "remote fail (connection lost)", UNKNOWN),
        (
            unreached(Stage::Preflight, ConnectError::NotPublic),
            "blocked_ip",
            "preflight reject (address not public)",
            SKIP,
        ),
        (
            unreached(Stage::Preflight, ConnectError::OwnHost),
            "own_host",
            "preflight reject (the registry's own host)",
            SKIP,
        ),
        (
            unreached(Stage::Preflight, ConnectError::Url),
            "url_refused",
            "preflight reject (URL not allowed)",
            FAIL,
        ),
        (
            ProbeFault::Redirected { resource: Remote, status: Some(302) },
            "redirected",
            "remote fail 302 (redirect not followed)",
            FAIL,
        ),
        (ProbeFault::TooLarge { resource: Card }, "card_too_large", "card fail 200 (over 256 KiB)", FAIL),
        (ProbeFault::TooLarge { resource: Remote }, "answer_too_large", "remote fail 200 (over 1 MiB)", FAIL),
        (ProbeFault::TooMuch, "answers_too_large", "remote fail 200 (too much to read)", FAIL),
        (ProbeFault::TooManyTools, "too_many_tools", "remote partial (too many tools)", PARTIAL),
        (ProbeFault::Http { resource: Card, status: 404 }, "card_404", "card fail 404 (no card)", FAIL),
        (ProbeFault::Http { resource: Card, status: 401 }, "card_401", "card fail 401", FAIL),
        (ProbeFault::Http { resource: Card, status: 403 }, "card_403", "card fail 403", FAIL),
        (ProbeFault::Http { resource: Card, status: 402 }, "card_402", "card fail 402", FAIL),
        (ProbeFault::Http { resource: Card, status: 406 }, "card_406", "card fail 406", FAIL),
        (ProbeFault::Http { resource: Card, status: 503 }, "http_5xx", "card fail 503", UNKNOWN),
        (ProbeFault::Http { resource: Remote, status: 404 }, "http_404", "remote fail 404", FAIL),
        (ProbeFault::Http { resource: Remote, status: 405 }, "http_405", "remote fail 405", FAIL),
        (ProbeFault::Http { resource: Remote, status: 429 }, "rate_limited", "remote fail 429", UNKNOWN),
        (ProbeFault::Waf { resource: Card, status: 403 }, "waf", "card fail 403 (bot wall)", UNKNOWN),
        (
            ProbeFault::HostRefused { resource: Remote, status: 421 },
            "host_refused",
            "remote fail 421 (host name refused)",
            FAIL,
        ),
        (
            ProbeFault::PlainHttp { resource: Remote },
            "plain_http",
            "remote fail 400 (http to a TLS port)",
            FAIL,
        ),
        (ProbeFault::Waf { resource: Remote, status: 403 }, "waf", "remote fail 403 (bot wall)", UNKNOWN),
        (ProbeFault::NothingFound { status: Some(404) }, "nothing_found", "card fail 404 (no card)", FAIL),
        (
            ProbeFault::NotACard {
                status: 200,
                fix: "Serve the agent card itself at this URL, as application/json.",
            },
            "not_a_card",
            "card fail 200 (non-card body)",
            FAIL,
        ),
        (
            ProbeFault::InvalidCard {
                status: 200,
                finding: CardViolation {
                    path: "name".into(),
                    code: "name_missing",
                    seen: "nothing".into(),
                    fix: "Give it a name.".into(),
                },
            },
            "name_missing",
            "card fail 200 (invalid card)",
            FAIL,
        ),
        (ProbeFault::GrpcOnly, "grpc_only", "remote partial (gRPC only)", PARTIAL),
        (ProbeFault::NoInterface, "no_interface", "card fail 200 (no usable interface)", FAIL),
        (ProbeFault::InterfaceUrl, "interface_url", "card fail 200 (interface URL not allowed)", FAIL),
        (ProbeFault::ForeignInterface, "interface_domain", "remote fail (interface on another domain)", FAIL),
        (ProbeFault::NotA2a, "not_a2a", "remote fail 200 (not A2A)", FAIL),
        (ProbeFault::UnknownMethods, "unknown_methods", "remote fail 200 (no A2A method known)", FAIL),
        (ProbeFault::MessageRefused, "message_refused", "remote partial (message refused)", PARTIAL),
        (
            ProbeFault::MessageFailed,
            "message_failed",
            "remote partial (internal error on a message)",
            PARTIAL,
        ),
        (ProbeFault::MessageTimeout, "message_timeout", "remote timeout (no answer to a message)", LATER),
        (ProbeFault::AnswerShape, "answer_shape", "remote partial (neither message nor task)", PARTIAL),
        (
            ProbeFault::AuthRequired { status: 401 },
            "auth_required",
            "remote partial 401 (authentication required)",
            PARTIAL,
        ),
        (
            ProbeFault::GatedUnproven { status: 403 },
            "gated_unproven",
            "remote partial 403 (gated, protocol unproven)",
            PARTIAL,
        ),
        (ProbeFault::PaymentRequired, "payment_required", "remote partial 402 (payment required)", PARTIAL),
        (
            ProbeFault::SignIn { flaw: SignInFlaw::NoS256, temporary: false },
            "sign_in:no_s256",
            "remote partial (sign-in: no_s256)",
            PARTIAL,
        ),
        (
            ProbeFault::SignIn { flaw: SignInFlaw::ServerUnreached, temporary: true },
            "sign_in:authorization_server_unreached",
            "remote partial (sign-in: authorization_server_unreached)",
            LATER,
        ),
        (ProbeFault::NotMcp { status: 200 }, "not_mcp", "remote fail 200 (not MCP)", FAIL),
        (ProbeFault::BadJsonRpc, "bad_jsonrpc", "remote fail 200 (malformed JSON-RPC)", FAIL),
        (ProbeFault::InitializeRefused, "initialize_refused", "remote partial (initialize refused)", PARTIAL),
        (ProbeFault::WrongTransport, "wrong_transport", "remote fail (wrong transport)", FAIL),
        (ProbeFault::SseLegacy, "sse_legacy", "remote partial (HTTP+SSE only)", PARTIAL),
        (ProbeFault::ToolsFailed, "tools_failed", "remote partial (tools/list failed)", PARTIAL),
        (
            ProbeFault::NotAcceptable { speaks: true },
            "accept_406",
            "remote partial 406 (nonconforming Accept)",
            PARTIAL,
        ),
        (ProbeFault::NotAcceptable { speaks: false }, "accept_406", "remote fail 406", FAIL),
        (ProbeFault::ContentTypeRefused, "ctype_415", "remote fail 415", FAIL),
        (ProbeFault::Templated, "template", "skip (templated URL)", SKIP),
        (ProbeFault::NeedsConfig, "needs_config", "skip (needs a header or secret)", SKIP),
        (ProbeFault::StdioOnly, "stdio", "skip (stdio only)", SKIP),
        (ProbeFault::PackageUnchecked, "package_unchecked", "skip (package type not checked)", SKIP),
        (ProbeFault::NothingDeclared, "nothing_declared", "skip (neither package nor remote)", SKIP),
        (ProbeFault::PackageMissing, "package_missing", "skip (package not found)", SKIP),
        (ProbeFault::PackageUnnamed, "package_unnamed", "skip (package of another server)", SKIP),
        (
            ProbeFault::PackageUnreached,
            "package_unreached",
            "remote fail (package registry did not answer)",
            UNKNOWN,
        ),
    ]
}

#[test]
fn every_fault_has_a_code_a_text_a_class_and_a_fix() {
    for (fault, code, words, class) in table() {
        let reason = fault.reason("what was seen");
        assert_eq!((reason.code.as_str(), reason.reason.as_str()), (code, words), "{fault:?}");
        assert_eq!(reason.seen, "what was seen");
        assert_eq!(fault.class(), class, "{fault:?}");
        assert!(reason.fix.ends_with('.'), "{fault:?} has no fix: {}", reason.fix);
    }
}

#[test]
fn every_broken_rule_has_its_own_code_and_fix() {
    let rules = [
        ConformanceRule::ResultType,
        ConformanceRule::Caching,
        ConformanceRule::IdEcho,
        ConformanceRule::Batch,
        ConformanceRule::JsonRpcMember,
        ConformanceRule::Notification,
        ConformanceRule::ToolShape,
        ConformanceRule::ToolNames,
        ConformanceRule::Cursor,
        ConformanceRule::Revision,
        ConformanceRule::Headers,
    ];
    let reasons = rules.map(|rule| ProbeFault::Nonconforming(rule).reason(""));
    assert!(reasons.iter().all(|r| r.code.starts_with("nonconforming:") && r.fix.ends_with('.')));
    assert!(reasons.iter().all(|r| r.seen == r.reason), "nothing seen says what is wrong instead");
    assert_eq!(reasons.iter().map(|r| &r.code).collect::<HashSet<_>>().len(), rules.len());
    assert_eq!(reasons.iter().map(|r| &r.fix).collect::<HashSet<_>>().len(), rules.len());
}

#[test]
fn every_flaw_of_a_sign_in_has_its_own_code_and_fix() {
    let reasons = SignInFlaw::ALL.map(|flaw| ProbeFault::SignIn { flaw, temporary: false }.reason(""));
    assert!(reasons.iter().all(|r| r.code.starts_with("sign_in:") && r.fix.ends_with('.')));
    assert_eq!(reasons.iter().map(|r| &r.code).collect::<HashSet<_>>().len(), SignInFlaw::ALL.len());
    assert_eq!(reasons.iter().map(|r| &r.fix).collect::<HashSet<_>>().len(), SignInFlaw::ALL.len());
}

#[test]
fn text_of_a_peer_is_shortened_and_cleaned() {
    assert_eq!(plain("\u{1b}[31mred\r\n\u{202e}tfel\u{200b}", 80), "[31mred tfel");
    assert_eq!(plain(&"é".repeat(500), 10), format!("{}…", "é".repeat(10)));
    assert_eq!(ProbeFault::GrpcOnly.reason(&"x".repeat(10_000)).seen.chars().count(), MAX_SEEN_CHARS + 1);
}

#[test]
fn fault_of_a_card_contains_the_invalid_field() {
    let finding =
        CardViolation { path: "url".into(), code: "x", seen: "\u{7}null".into(), fix: "Do.".into() };
    assert_eq!(advice(&finding).seen, "url: null");
    let faults = of_card(CardFault::Invalid(vec![finding.clone(), finding]), 200);
    assert_eq!(faults.len(), 2);
    assert_eq!(faults[0].0.reason(&faults[0].1).seen, "url: null");
    let page = OtherDocument { seen: "an HTML page".into(), fix: "Do.", leads_to: None };
    let faults = of_card(CardFault::NotACard(page), 203);
    assert_eq!(faults[0].0.reason(&faults[0].1).reason, "card fail 203 (non-card body)");
}

#[test]
fn fix_is_found_by_the_code_of_a_fault() {
    for (fault, code, ..) in table() {
        // These fixes depend on the document or the server.
        let is_particular = matches!(
            fault,
            ProbeFault::InvalidCard { .. }
                | ProbeFault::BrokenCardRule { .. }
                | ProbeFault::EndpointElsewhere { .. }
                | ProbeFault::OtherDialect { .. }
        );
        assert!(is_particular || fix_for(code) == Some(fault.reason("").fix), "{code}");
    }
    assert_eq!(fix_for("no_such_code"), None);
}
