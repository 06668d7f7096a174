//! Tests the whole table of faults, row by row. Owners and statistics read the words of the table, so nobody
//! should change them by accident. If a row is missing here, nobody has reviewed it.

use std::collections::HashSet;

use super::rows::ROWS;
use super::*;
use registry_fetch::TlsFailure;
use registry_formats::agent_card::{CardFault, CardViolation, OtherDocument};

fn table() -> Vec<(ProbeFault, &'static str, &'static str, Class)> {
    use ConnectError::{HostNotFound, NotPublic, OwnHost, Refused, ResolverFailed, Tls};
    use ProbeFault as F;
    use ProbedResource::{Card, Remote};
    use Stage::{Preflight, Probe};
    let unreached = |stage, cause| F::Unreached { stage, cause };
    vec![
        (F::PreflightTimeout { ms: 2500 }, "preflight_timeout", "preflight timeout (2500 ms)", UNKNOWN),
        (F::ProbeTimeout { ms: 10_000 }, "timeout", "remote timeout (10000 ms)", UNKNOWN),
        (unreached(Preflight, HostNotFound), "dns_nxdomain", "preflight reject (host not found)", FAIL),
        (
            unreached(Preflight, ResolverFailed),
            "dns_failed",
            "preflight reject (host lookup failed)",
            UNKNOWN,
        ),
        (unreached(Preflight, Refused), "conn_refused", "preflight reject (connection refused)", FAIL),
        (unreached(Preflight, Tls(TlsFailure::Other)), "tls_error", "preflight reject (TLS error)", FAIL),
        (
            unreached(Probe, Tls(TlsFailure::Expired)),
            "tls_expired",
            "remote fail (TLS certificate expired)",
            FAIL,
        ),
        (
            unreached(Probe, Tls(TlsFailure::WrongName)),
            "tls_wrong_name",
            "remote fail (TLS certificate of another host)",
            FAIL,
        ),
        (
            unreached(Probe, Tls(TlsFailure::UnknownIssuer)),
            "tls_unknown_issuer",
            "remote fail (TLS certificate not trusted)",
            FAIL,
        ),
        (
            unreached(Probe, Tls(TlsFailure::PlainText)),
            "tls_plain_text",
            "remote fail (no TLS at this port)",
            FAIL,
        ),
        (
            F::OtherDialect { declared: "1.0", spoken: "0.3" },
            "other_dialect",
            "remote partial (another A2A version)",
            PARTIAL,
        ),
        (F::VersionRefused, "version_refused", "remote partial (version refused)", PARTIAL),
        (
            F::EndpointElsewhere { url: "https://a.example.org/mcp".to_owned() },
            "endpoint_elsewhere",
            "remote fail (MCP at another path)",
            FAIL,
        ),
        (F::RequestsUsedUp, "requests_used_up", "remote fail (more than ten requests)", FAIL),
        (F::ReplyPostponed, "reply_postponed", "remote partial (reply postponed)", LATER),
        (unreached(Probe, Refused), "conn_refused", "remote fail (connection refused)", FAIL),
        (F::BadEncoding, "bad_encoding", "remote fail (undecodable body)", FAIL),
        (F::ConnectionLost, "conn_lost", "remote fail (connection lost)", UNKNOWN),
        (unreached(Preflight, NotPublic), "blocked_ip", "preflight reject (address not public)", SKIP),
        (unreached(Preflight, OwnHost), "own_host", "preflight reject (the registry's own host)", SKIP),
        (unreached(Preflight, ConnectError::Url), "url_refused", "preflight reject (URL not allowed)", FAIL),
        (
            F::Redirected { resource: Remote, status: Some(302) },
            "redirected",
            "remote fail 302 (redirect not followed)",
            FAIL,
        ),
        (F::TooLarge { resource: Card }, "card_too_large", "card fail 200 (over 256 KiB)", FAIL),
        (F::TooLarge { resource: Remote }, "answer_too_large", "remote fail 200 (over 1 MiB)", FAIL),
        (F::TooMuch, "answers_too_large", "remote fail 200 (too much to read)", FAIL),
        (F::TooManyTools, "too_many_tools", "remote partial (too many tools)", PARTIAL),
        (F::Http { resource: Card, status: 404 }, "card_404", "card fail 404 (no card)", FAIL),
        (F::Http { resource: Card, status: 401 }, "card_401", "card fail 401", FAIL),
        (F::Http { resource: Card, status: 403 }, "card_403", "card fail 403", FAIL),
        (F::Http { resource: Card, status: 402 }, "card_402", "card fail 402", FAIL),
        (F::Http { resource: Card, status: 406 }, "card_406", "card fail 406", FAIL),
        (F::Http { resource: Card, status: 503 }, "http_5xx", "card fail 503", UNKNOWN),
        (F::Http { resource: Remote, status: 404 }, "http_404", "remote fail 404", FAIL),
        (F::Http { resource: Remote, status: 405 }, "http_405", "remote fail 405", FAIL),
        (F::Http { resource: Remote, status: 429 }, "rate_limited", "remote fail 429", UNKNOWN),
        (F::Waf { resource: Card, status: 403 }, "waf", "card fail 403 (bot wall)", UNKNOWN),
        (
            F::HostRefused { resource: Remote, status: 421 },
            "host_refused",
            "remote fail 421 (host name refused)",
            FAIL,
        ),
        (F::PlainHttp { resource: Remote }, "plain_http", "remote fail 400 (http to a TLS port)", FAIL),
        (F::Waf { resource: Remote, status: 403 }, "waf", "remote fail 403 (bot wall)", UNKNOWN),
        (F::NothingFound { status: Some(404) }, "nothing_found", "card fail 404 (no card)", FAIL),
        (
            F::NotACard { status: 200, fix: "Serve the agent card itself at this URL, as application/json." },
            "not_a_card",
            "card fail 200 (non-card body)",
            FAIL,
        ),
        (
            F::InvalidCard {
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
        (
            F::BrokenCardRule {
                violation: CardViolation {
                    path: "name".into(),
                    code: "name_long",
                    seen: "a long name".into(),
                    fix: "Shorten it.".into(),
                },
            },
            "name_long",
            "card partial (breaks the specification)",
            PARTIAL,
        ),
        (F::GrpcOnly, "grpc_only", "remote partial (gRPC only)", PARTIAL),
        (F::NoInterface, "no_interface", "card fail 200 (no usable interface)", FAIL),
        (F::InterfaceUrl, "interface_url", "card fail 200 (interface URL not allowed)", FAIL),
        (F::ForeignInterface, "interface_domain", "remote fail (interface on another domain)", FAIL),
        (F::NotA2a, "not_a2a", "remote fail 200 (not A2A)", FAIL),
        (F::UnknownMethods, "unknown_methods", "remote fail 200 (no A2A method known)", FAIL),
        (F::MessageRefused, "message_refused", "remote partial (message refused)", PARTIAL),
        (F::MessageFailed, "message_failed", "remote partial (internal error on a message)", PARTIAL),
        (F::MessageTimeout, "message_timeout", "remote timeout (no answer to a message)", LATER),
        (F::AnswerShape, "answer_shape", "remote partial (neither message nor task)", PARTIAL),
        (
            F::AuthRequired { status: 401 },
            "auth_required",
            "remote partial 401 (authentication required)",
            PARTIAL,
        ),
        (
            F::GatedUnproven { status: 403 },
            "gated_unproven",
            "remote partial 403 (gated, protocol unproven)",
            PARTIAL,
        ),
        (F::PaymentRequired, "payment_required", "remote partial 402 (payment required)", PARTIAL),
        (
            F::SignIn { flaw: SignInFlaw::NoS256, temporary: false },
            "sign_in:no_s256",
            "remote partial (sign-in: no_s256)",
            PARTIAL,
        ),
        (
            F::SignIn { flaw: SignInFlaw::ServerUnreached, temporary: true },
            "sign_in:authorization_server_unreached",
            "remote partial (sign-in: authorization_server_unreached)",
            LATER,
        ),
        (F::NotMcp { status: 200 }, "not_mcp", "remote fail 200 (not MCP)", FAIL),
        (F::BadJsonRpc, "bad_jsonrpc", "remote fail 200 (malformed JSON-RPC)", FAIL),
        (F::InitializeRefused, "initialize_refused", "remote partial (initialize refused)", PARTIAL),
        (F::WrongTransport, "wrong_transport", "remote fail (wrong transport)", FAIL),
        (F::SseLegacy, "sse_legacy", "remote partial (HTTP+SSE only)", PARTIAL),
        (F::ToolsFailed, "tools_failed", "remote partial (tools/list failed)", PARTIAL),
        (
            F::NotAcceptable { speaks: true },
            "accept_406",
            "remote partial 406 (nonconforming Accept)",
            PARTIAL,
        ),
        (F::NotAcceptable { speaks: false }, "accept_406", "remote fail 406", FAIL),
        (F::ContentTypeRefused, "ctype_415", "remote fail 415", FAIL),
        (F::Templated, "template", "skip (templated URL)", SKIP),
        (F::NeedsConfig, "needs_config", "skip (needs a header or secret)", SKIP),
        (F::StdioOnly, "stdio", "skip (stdio only)", SKIP),
        (F::PackageUnchecked, "package_unchecked", "skip (package type not checked)", SKIP),
        (F::NothingDeclared, "nothing_declared", "skip (neither package nor remote)", SKIP),
        (F::PackageMissing, "package_missing", "skip (package not found)", SKIP),
        (F::PackageUnnamed, "package_unnamed", "skip (package of another server)", SKIP),
        (F::PackageUnreached, "package_unreached", "remote fail (package registry did not answer)", UNKNOWN),
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
fn every_row_of_the_table_is_of_a_fault() {
    let lines = include_str!("faults.tsv").lines().filter(|line| !line.starts_with('#'));
    assert_eq!(lines.count(), ROWS.len(), "a row is not readable, or its code occurs twice");
    let mut faults: Vec<ProbeFault> = table().into_iter().map(|(fault, ..)| fault).collect();
    faults.extend(ConformanceRule::ALL.map(ProbeFault::Nonconforming));
    faults.extend(SignInFlaw::ALL.map(|flaw| ProbeFault::SignIn { flaw, temporary: false }));
    for (code, row) in ROWS.iter() {
        assert!(faults.iter().any(|fault| std::ptr::eq(fault.row(), row)), "{code} is of no fault");
    }
}

#[test]
fn every_broken_rule_has_its_own_code_and_fix() {
    let rules = ConformanceRule::ALL;
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
