//! The version header (A2A 1.0 specification §3.6). The A2A version of a request follows from the method name, because
//! every client sends the method name correctly. The header is used only to refuse unsupported versions.

use http::HeaderMap;

use crate::errors::RpcError;
use crate::rest::Parameters;

const HEADER: &str = "a2a-version";

/// Refuses an unsupported version in the header or, without a header, in the query.
pub(super) fn check(headers: &HeaderMap, query: &Parameters) -> Result<(), RpcError> {
    let from_query = query.iter().find(|(name, _)| name.eq_ignore_ascii_case(HEADER));
    let header = headers.get(HEADER).map(|value| String::from_utf8_lossy(value.as_bytes()));
    match header.as_deref().or(from_query.map(|(_, value)| value)).map(str::trim) {
        None | Some("") => Ok(()),
        Some(version) if is_supported(version) => Ok(()),
        Some(version) => Err(RpcError::unsupported_version(version)),
    }
}

/// `1.x` and `0.2`, `0.3`; some clients add a patch number.
fn is_supported(version: &str) -> bool {
    let numbers: Option<Vec<u32>> = version.split('.').map(|number| number.parse().ok()).collect();
    matches!(numbers.as_deref(), Some([1] | [1, _] | [1, _, _] | [0, 2 | 3] | [0, 2 | 3, _]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsupported_versions_are_refused() {
        let query = |text: &str| Parameters::parse(text.as_bytes());
        let mut headers = HeaderMap::new();
        assert!(check(&headers, &query("")).is_ok());
        assert!(check(&headers, &query("A2A-Version=1.0")).is_ok());
        assert!(check(&headers, &query("A2A-Version=99.0")).is_err());
        for (version, supported) in [
            ("1.0", true),
            ("0.3", true),
            ("0.3.0", true),
            ("", true),
            ("x", false),
            ("2.0", false),
            ("0.1", false),
        ] {
            headers.insert(HEADER, version.parse().unwrap());
            assert_eq!(check(&headers, &query("")).is_ok(), supported, "{version}");
        }
    }
}
