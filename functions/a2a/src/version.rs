//! The version header (A2A 1.0 specification §3.6). The dialect follows from the method name, which every client gets
//! right; the header serves only to refuse versions that are not supported.

use http::{HeaderMap, Uri};

use crate::errors::A2aError;

const HEADER: &str = "a2a-version";

/// Lets a request pass unless it asks for an unknown version, by header or by query.
pub(crate) fn check(headers: &HeaderMap, uri: &Uri) -> Result<(), A2aError> {
    let queried = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes())
        .find(|(name, _)| name.eq_ignore_ascii_case(HEADER))
        .map(|(_, value)| value.into_owned());
    let asked = match headers.get(HEADER) {
        Some(value) => Some(String::from_utf8_lossy(value.as_bytes()).into_owned()),
        None => queried,
    };
    match asked.as_deref().map(str::trim) {
        None | Some("") => Ok(()),
        Some(version) if is_known(version) => Ok(()),
        Some(version) => Err(A2aError::Version(version.to_owned())),
    }
}

/// `1.x` and `0.2`, `0.3`; some clients add a patch number.
fn is_known(version: &str) -> bool {
    let numbers: Option<Vec<u32>> = version.split('.').map(|number| number.parse().ok()).collect();
    matches!(numbers.as_deref(), Some([1] | [1, _] | [1, _, _] | [0, 2 | 3] | [0, 2 | 3, _]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_versions_are_refused() {
        let uri = |text: &str| text.parse::<Uri>().unwrap();
        let mut headers = HeaderMap::new();
        assert!(check(&headers, &uri("/api/a2a")).is_ok());
        assert!(check(&headers, &uri("/api/a2a?A2A-Version=1.0")).is_ok());
        assert!(check(&headers, &uri("/api/a2a?A2A-Version=99.0")).is_err());
        for (version, taken) in [
            ("1.0", true),
            ("0.3", true),
            ("0.3.0", true),
            ("", true),
            ("99.0", false),
            ("x", false),
            ("2.0", false),
            ("0.1", false),
        ] {
            headers.insert(HEADER, version.parse().unwrap());
            assert_eq!(check(&headers, &uri("/")).is_ok(), taken, "{version}");
        }
    }
}
