//! The whole table of faults, row by row: owners and statistics read these words, so a change must be meant.
//! A row that is missing here is a row that nobody looked at.

use std::collections::HashSet;

use super::*;

fn table() -> Vec<(Fault, &'static str, &'static str, Class)> {
    use Door::{Card, Remote};
    let unreached = |stage, barrier| Fault::Unreached { stage, barrier };
    vec![
        (Fault::PreflightTimeout { ms: 2500 }, "preflight_timeout", "preflight timeout (2500 ms)", UNKNOWN),
        (Fault::ProbeTimeout { ms: 10_000 }, "timeout", "remote timeout (10000 ms)", UNKNOWN),
        (
            unreached(Stage::Preflight, Barrier::HostNotFound),
            "dns_nxdomain",
            "preflight reject (host not found)",
            FAIL,
        ),
        (
            unreached(Stage::Preflight, Barrier::ResolverFailed),
            "dns_failed",
            "preflight reject (host lookup failed)",
            UNKNOWN,
        ),
        (
            unreached(Stage::Preflight, Barrier::Refused),
            "conn_refused",
            "preflight reject (connection refused)",
            FAIL,
        ),
        (unreached(Stage::Preflight, Barrier::Tls), "tls_error", "preflight reject (TLS error)", FAIL),
        (unreached(Stage::Probe, Barrier::Refused), "conn_refused", "remote fail (connection refused)", FAIL),
        (Fault::BadEncoding, "bad_encoding", "remote fail (undecodable body)", FAIL),
        (Fault::ConnectionLost, "conn_lost", "remote fail (connection lost)", UNKNOWN),
        (
            unreached(Stage::Preflight, Barrier::NotPublic),
            "blocked_ip",
            "preflight reject (address not public)",
            SKIP,
        ),
        (
            unreached(Stage::Preflight, Barrier::OwnHost),
            "own_host",
            "preflight reject (the registry's own host)",
            SKIP,
        ),
        (
            unreached(Stage::Preflight, Barrier::Url),
            "url_refused",
            "preflight reject (URL not allowed)",
            FAIL,
        ),
        (
            Fault::Redirected { door: Remote, status: Some(302) },
            "redirected",
            "remote fail 302 (redirect not followed)",
            FAIL,
        ),
        (Fault::TooLarge { door: Card }, "card_too_large", "card fail 200 (over 256 KiB)", FAIL),
        (Fault::TooLarge { door: Remote }, "answer_too_large", "remote fail 200 (over 1 MiB)", FAIL),
        (Fault::Http { door: Card, status: 404 }, "card_404", "card fail 404 (no card)", FAIL),
        (Fault::Http { door: Card, status: 401 }, "card_401", "card fail 401", FAIL),
        (Fault::Http { door: Card, status: 403 }, "card_403", "card fail 403", FAIL),
        (Fault::Http { door: Card, status: 402 }, "card_402", "card fail 402", FAIL),
        (Fault::Http { door: Card, status: 406 }, "card_406", "card fail 406", FAIL),
        (Fault::Http { door: Card, status: 503 }, "http_5xx", "card fail 503", UNKNOWN),
        (Fault::Http { door: Remote, status: 404 }, "http_404", "remote fail 404", FAIL),
        (Fault::Http { door: Remote, status: 405 }, "http_405", "remote fail 405", FAIL),
        (Fault::Http { door: Remote, status: 429 }, "rate_limited", "remote fail 429", UNKNOWN),
        (Fault::Waf { door: Card, status: 403 }, "waf", "card fail 403 (bot wall)", UNKNOWN),
        (Fault::Waf { door: Remote, status: 403 }, "waf", "remote fail 403 (bot wall)", UNKNOWN),
        (Fault::NothingFound { status: Some(404) }, "nothing_found", "card fail 404 (no card)", FAIL),
        (Fault::NotACard { status: 200 }, "not_a_card", "card fail 200 (non-card body)", FAIL),
        (
            Fault::InvalidCard {
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
        (Fault::GrpcOnly, "grpc_only", "remote partial (gRPC only)", PARTIAL),
        (Fault::NoInterface, "no_interface", "card fail 200 (no usable interface)", FAIL),
        (Fault::InterfaceUrl, "interface_url", "card fail 200 (interface URL not allowed)", FAIL),
        (Fault::NotA2a, "not_a2a", "remote fail 200 (not A2A)", FAIL),
        (Fault::UnknownMethods, "unknown_methods", "remote fail 200 (no A2A method known)", FAIL),
        (Fault::MessageRefused, "message_refused", "remote partial (message refused)", PARTIAL),
        (Fault::MessageFailed, "message_failed", "remote partial (internal error on a message)", PARTIAL),
        (Fault::MessageTimeout, "message_timeout", "remote timeout (no answer to a message)", LATER),
        (Fault::AnswerShape, "answer_shape", "remote partial (neither message nor task)", PARTIAL),
        (
            Fault::AuthRequired { status: 401 },
            "auth_required",
            "remote partial 401 (authentication required)",
            PARTIAL,
        ),
        (
            Fault::GatedUnproven { status: 403 },
            "gated_unproven",
            "remote partial 403 (gated, protocol unproven)",
            PARTIAL,
        ),
        (Fault::PaymentRequired, "payment_required", "remote partial 402 (payment required)", PARTIAL),
        (Fault::NotMcp { status: 200 }, "not_mcp", "remote fail 200 (not MCP)", FAIL),
        (Fault::BadJsonRpc, "bad_jsonrpc", "remote fail 200 (malformed JSON-RPC)", FAIL),
        (Fault::InitializeRefused, "initialize_refused", "remote partial (initialize refused)", PARTIAL),
        (Fault::WrongTransport, "wrong_transport", "remote fail (wrong transport)", FAIL),
        (Fault::SseLegacy, "sse_legacy", "remote partial (HTTP+SSE only)", PARTIAL),
        (Fault::ToolsFailed, "tools_failed", "remote partial (tools/list failed)", PARTIAL),
        (
            Fault::NotAcceptable { speaks: true },
            "accept_406",
            "remote partial 406 (nonconforming Accept)",
            PARTIAL,
        ),
        (Fault::NotAcceptable { speaks: false }, "accept_406", "remote fail 406", FAIL),
        (Fault::ContentTypeRefused, "ctype_415", "remote fail 415", FAIL),
        (Fault::Templated, "template", "skip (templated URL)", SKIP),
        (Fault::NeedsConfig, "needs_config", "skip (needs a header or secret)", SKIP),
        (Fault::StdioOnly, "stdio", "skip (stdio only)", SKIP),
        (Fault::OptedOut, "opted_out", "skip (opted out)", SKIP),
        (Fault::Flaky, "flaky", "remote fail (alternating results)", UNKNOWN),
    ]
}

#[test]
fn every_fault_has_its_code_words_class_and_cure() {
    for (fault, code, words, class) in table() {
        let reason = fault.reason("what was seen");
        assert_eq!((reason.code.as_str(), reason.reason.as_str()), (code, words), "{fault:?}");
        assert_eq!(reason.seen, "what was seen");
        assert_eq!(fault.class(), class, "{fault:?}");
        assert!(reason.fix.ends_with('.'), "{fault:?} has no cure: {}", reason.fix);
    }
}

#[test]
fn every_broken_rule_has_a_code_and_a_cure_of_its_own() {
    let checks = [
        Check::ResultType,
        Check::Caching,
        Check::IdEcho,
        Check::Batch,
        Check::JsonRpcMember,
        Check::Notification,
        Check::ToolShape,
        Check::ToolNames,
        Check::Cursor,
        Check::Headers,
    ];
    let reasons = checks.map(|check| Fault::Nonconforming(check).reason(""));
    assert!(reasons.iter().all(|r| r.code.starts_with("nonconforming:") && r.fix.ends_with('.')));
    assert!(reasons.iter().all(|r| r.seen == r.reason), "nothing seen says what is wrong instead");
    assert_eq!(reasons.iter().map(|r| &r.code).collect::<HashSet<_>>().len(), checks.len());
    assert_eq!(reasons.iter().map(|r| &r.fix).collect::<HashSet<_>>().len(), checks.len());
}

#[test]
fn a_strangers_text_is_cut_and_cleaned() {
    assert_eq!(plain("\u{1b}[31mred\r\n\u{202e}tfel\u{200b}", 80), "[31mred tfel");
    assert_eq!(plain(&"é".repeat(500), 10), format!("{}…", "é".repeat(10)));
    assert_eq!(Fault::GrpcOnly.reason(&"x".repeat(10_000)).seen.chars().count(), SEEN + 1);
}

#[test]
fn what_is_wrong_with_a_card_names_its_place() {
    let finding =
        CardViolation { path: "url".into(), code: "x", seen: "\u{7}null".into(), fix: "Do.".into() };
    assert_eq!(advice(&finding).seen, "url: null");
    let faults = of_card(CardFault::Invalid(vec![finding.clone(), finding]), 200);
    assert_eq!(faults.len(), 2);
    assert_eq!(faults[0].0.reason(&faults[0].1).seen, "url: null");
    let faults = of_card(CardFault::NotACard { seen: "an HTML page".into() }, 203);
    assert_eq!(faults[0].0.reason(&faults[0].1).reason, "card fail 203 (non-card body)");
}
