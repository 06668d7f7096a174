//! The terms of a payment that a server asks for, as x402 and L402 send them. The registry never pays; the terms are shown, so
//! that callers and owners see what a 402 means.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use registry_fetch::Answer;
use registry_model::json;
use serde_json::Value;

/// What was seen of a 402: its terms, or else `excerpt`.
pub(super) fn describe(answer: &Answer, excerpt: &str) -> String {
    terms_in(answer).map_or_else(|| excerpt.to_owned(), |terms| format!("HTTP 402: {terms}"))
}

/// The terms in words; `None` if the answer contains none that are known.
fn terms_in(answer: &Answer) -> Option<String> {
    // x402 puts them into the body (version 1) or into a header (version 2).
    let of_header = || {
        let written = STANDARD.decode(answer.header("payment-required")?).ok()?;
        json::parse(&written).ok()
    };
    let of_body = || json::parse(&answer.body).ok();
    let x402 =
        of_header().and_then(|terms| x402(&terms)).or_else(|| of_body().and_then(|terms| x402(&terms)));
    let l402 = || {
        let challenge = answer.header("www-authenticate")?;
        let scheme = challenge.split(' ').next()?.to_ascii_uppercase();
        matches!(scheme.as_str(), "L402" | "LSAT").then(|| format!("{scheme}, by a Lightning invoice"))
    };
    x402.or_else(l402)
}

fn x402(terms: &Value) -> Option<String> {
    let first = terms.get("accepts")?.get(0)?;
    let text = |name: &str| first.get(name).and_then(Value::as_str);
    let amount = text("maxAmountRequired").or_else(|| text("amount"))?;
    let (asset, network, payee) = (text("asset")?, text("network")?, text("payTo")?);
    Some(format!("x402, {amount} units of {asset} on {network} to {payee}"))
}
