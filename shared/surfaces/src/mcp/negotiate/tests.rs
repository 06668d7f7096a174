//! Tests version negotiation. Each case is a valid modern request with one change, and the expected error.

use super::*;
use crate::json_rpc::Message;

fn request(method: &str, params: &Value) -> Request {
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    match Message::of_mcp(message).unwrap() {
        Message::Request(request) => request,
        other => panic!("{other:?}"),
    }
}

fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
    pairs
        .iter()
        .map(|(name, value)| {
            (name.parse::<HeaderName>().unwrap(), HeaderValue::from_bytes(value.as_bytes()).unwrap())
        })
        .collect()
}

fn meta() -> Value {
    json!({ VERSION_KEY: MCP_NEWEST_REVISION, CAPABILITIES_KEY: {} })
}

fn call(name: &str) -> Request {
    request("tools/call", &json!({ "name": name, "_meta": meta() }))
}

fn refusal(headers: &HeaderMap, request: &Request) -> (u16, i32) {
    let error = negotiate_version(headers, request).unwrap_err();
    (error.status.as_u16(), error.code)
}

const GOOD: [(&str, &str); 3] =
    [("mcp-protocol-version", MCP_NEWEST_REVISION), ("mcp-method", "tools/call"), ("mcp-name", "score")];

fn with(name: &str, value: Option<&str>) -> HeaderMap {
    let mut pairs: Vec<_> = GOOD.into_iter().filter(|(good, _)| *good != name).collect();
    pairs.extend(value.map(|value| (name, value)));
    headers(&pairs)
}

#[test]
fn modern_request_with_matching_headers_passes() {
    assert_eq!(negotiate_version(&headers(&GOOD), &call("score")), Ok(Era::Modern));
}

#[test]
fn every_header_must_occur_once_and_match_the_body() {
    for name in ["mcp-protocol-version", "mcp-method", "mcp-name"] {
        assert_eq!(refusal(&with(name, None), &call("score")), (400, -32020), "no {name}");
        assert_eq!(refusal(&with(name, Some("Score")), &call("score")), (400, -32020), "other {name}");
        let mut twice = headers(&GOOD);
        let again = HeaderValue::from_str(twice[name].to_str().unwrap()).unwrap();
        twice.append(HeaderName::from_static(name), again);
        assert_eq!(refusal(&twice, &call("score")), (400, -32020), "{name} twice");
    }
}

#[test]
fn non_ascii_names_are_sent_in_base64() {
    let encoded = |text: &str| format!("=?base64?{}?=", STANDARD.encode(text));
    for name in ["prüfe", "score"] {
        let headers = with("mcp-name", Some(&encoded(name)));
        assert_eq!(negotiate_version(&headers, &call(name)), Ok(Era::Modern), "{name}");
    }
    for wrong in
        ["=?base64?***?=", "=?base64?/w==?=", "=?BASE64?c2NvcmU=?=", "=?base64?c2NvcmU=", "pr\u{fc}fe"]
    {
        assert_eq!(refusal(&with("mcp-name", Some(wrong)), &call("score")), (400, -32020), "{wrong}");
    }
}

#[test]
fn meta_fields_are_checked_before_the_headers() {
    let bare = headers(&GOOD[..1]);
    for meta in [
        json!({ VERSION_KEY: MCP_NEWEST_REVISION }),
        json!({ CAPABILITIES_KEY: {} }),
        json!({}),
        json!(null),
        json!({ VERSION_KEY: 5, CAPABILITIES_KEY: {} }),
    ] {
        let request = request("tools/list", &json!({ "_meta": meta }));
        assert_eq!(refusal(&bare, &request), (400, -32602), "{meta}");
    }
}

#[test]
fn modern_request_of_another_revision_is_refused() {
    for version in ["2099-01-01", "2025-11-25"] {
        let meta = json!({ VERSION_KEY: version, CAPABILITIES_KEY: {} });
        let outcome = negotiate_version(
            &headers(&[("mcp-protocol-version", version)]),
            &request("tools/list", &json!({ "_meta": meta })),
        );
        let error = outcome.unwrap_err();
        assert_eq!((error.status.as_u16(), error.code), (400, -32022));
        assert_eq!(error.data["requested"], version);
        assert_eq!(error.data["supported"][0], MCP_NEWEST_REVISION);
    }
}

#[test]
fn requests_without_the_modern_meta_fields_are_legacy() {
    let plain = request("tools/list", &json!({}));
    assert_eq!(negotiate_version(&HeaderMap::new(), &plain), Ok(Era::Legacy(Handshake::March2025)));
    let dated = |date: &str| headers(&[("mcp-protocol-version", date)]);
    for (date, revision) in [("2024-11-05", Handshake::November2024), ("2025-06-18", Handshake::June2025)] {
        assert_eq!(negotiate_version(&dated(date), &plain), Ok(Era::Legacy(revision)));
    }
    assert_eq!(refusal(&dated("2099-01-01"), &plain), (400, -32022));
    let progress = request("tools/list", &json!({ "_meta": { "progressToken": 1 } }));
    assert_eq!(negotiate_version(&HeaderMap::new(), &progress), Ok(Era::Legacy(Handshake::March2025)));
}

#[test]
fn newest_revision_refuses_initialize() {
    let initialize = request("initialize", &json!({ "protocolVersion": "2025-11-25" }));
    assert_eq!(refusal(&headers(&GOOD[..1]), &initialize), (400, -32020));
    assert_eq!(negotiate_version(&HeaderMap::new(), &initialize), Ok(Era::Legacy(Handshake::March2025)));
}

#[test]
fn initialize_never_selects_the_newest_revision() {
    assert_eq!(Handshake::agreed(MCP_NEWEST_REVISION), Handshake::November2025);
    assert_eq!(Handshake::agreed("2099-01-01"), Handshake::November2025);
    assert_eq!(Handshake::agreed("2024-11-05"), Handshake::November2025);
    for date in &MCP_REVISIONS[1..] {
        assert_eq!(Handshake::agreed(date).as_str(), *date);
    }
}
