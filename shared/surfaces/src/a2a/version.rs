//! The version header (A2A 1.0 specification §3.6). The A2A version of a request follows from the method name, because
//! every client sends the method name correctly. The header is used only to refuse unsupported versions.

use http::{HeaderMap, Uri};

use super::A2aError;

const HEADER: &str = "a2a-version";

/// Refuses an unsupported version in the header or, without a header, in the query.
pub(super) fn check(headers: &HeaderMap, uri: &Uri) -> Result<(), A2aError> {
    let from_query = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes())
        .find(|(name, _)| name.eq_ignore_ascii_case(HEADER))
        .map(|(_, value)| value.into_owned());
    let header = headers.get(HEADER).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    match header.or(from_query).as_deref().map(str::trim) {
        None | Some("") => Ok(()),
        Some(version) if is_supported(version) => Ok(()),
        Some(version) => Err(A2aError::version(version)),
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
        let uri = |text: &str| text.parse::<Uri>().unwrap();
        let mut headers = HeaderMap::new();
        assert!(check(&headers, &uri("/api/a2a")).is_ok());
        assert!(check(&headers, &uri("/api/a2a?A2A-Version=1.0")).is_ok());
        assert!(check(&headers, &uri("/api/a2a?A2A-Version=99.0")).is_err());
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
            assert_eq!(check(&headers, &uri("/")).is_ok(), supported, "{version}");
        }
    }
}
