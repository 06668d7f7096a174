//! Groups the reasons into a few families, for statistics over many listings.

use registry_model::Reason;

/// The family of a reason.
pub fn family(reason: &Reason) -> &'static str {
    let Reason { code, reason: words, .. } = reason;
    if words.starts_with("check ") {
        return "check_failed";
    }
    if words.ends_with("(invalid card)") || words == "card partial (breaks the specification)" {
        return "invalid_card";
    }
    let code = code.split_once(':').map_or(code.as_str(), |(group, _)| group);
    match code {
        "preflight_timeout" | "timeout" | "message_timeout" => "timeout",
        "dns_nxdomain" | "dns_failed" | "conn_refused" | "conn_lost" | "tls_error" => "unreachable",
        "nothing_found" | "not_a_card" | "card_too_large" => "no_card",
        "no_interface" | "interface_url" | "interface_domain" | "grpc_only" => "invalid_card",
        "auth_required" | "gated_unproven" | "sign_in" => "sign_in",
        "payment_required" | "card_402" => "payment",
        "not_a2a" | "not_mcp" | "unknown_methods" | "bad_jsonrpc" | "wrong_transport" | "sse_legacy" => {
            "other_protocol"
        }
        "nonconforming" | "initialize_refused" | "tools_failed" | "message_refused" | "message_failed"
        | "answer_shape" | "answer_too_large" | "answers_too_large" | "too_many_tools" => "nonconforming",
        "rate_limited" | "waf" | "redirected" | "bad_encoding" | "accept_406" | "ctype_415" => "http_error",
        "template" | "needs_config" | "stdio" | "blocked_ip" | "own_host" | "url_refused" => "not_probeable",
        "package_missing" | "package_unnamed" | "package_unreached" => "package",
        code if code.starts_with("card_") => "no_card",
        code if code.starts_with("http_") => "http_error",
        _ => "other",
    }
}
