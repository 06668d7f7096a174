//! The HTTP client for one registry. It trusts Mozilla's root certificates, not the root certificates of the machine.
//! It follows no redirect to another host, so that documents go only to the registry that the operator named.

use std::sync::Arc;
use std::time::Duration;

use http::{HeaderMap, header};
use jiff::Timestamp;
use reqwest::redirect::Policy;
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use url::{Host, Url};

/// For a request and its whole answer.
pub(super) const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Trusts Mozilla's root certificates.
///
/// # Errors
/// The cryptography supports no version of TLS.
pub fn tls() -> Result<ClientConfig, String> {
    let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

/// For loopback it ignores the proxy of the environment.
pub(crate) fn client(url: &Url, max_redirects: usize) -> Result<reqwest::Client, String> {
    let tls = tls()?;
    let origin = url.origin();
    let redirects = Policy::custom(move |attempt| {
        if attempt.url().origin() == origin && attempt.previous().len() <= max_redirects {
            attempt.follow()
        } else {
            attempt.stop()
        }
    });
    let builder = reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .user_agent(format!("registry-mirror/{}", registry::VERSION))
        .redirect(redirects)
        .retry(reqwest::retry::never())
        .connect_timeout(CONNECT_TIMEOUT)
        .timeout(REQUEST_TIMEOUT);
    let builder = if is_loopback(url) { builder.no_proxy() } else { builder };
    builder.build().map_err(|error| error.to_string())
}

pub(super) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => false,
    }
}

/// The `Retry-After` header, a number of seconds or a date (RFC 9110 §10.2.3).
pub(super) fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = jiff::fmt::rfc2822::parse(text).ok()?.timestamp();
    Some(Duration::try_from(date.duration_since(now)).unwrap_or(Duration::ZERO))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now: Timestamp = "2026-11-20T12:00:00Z".parse().unwrap();
        let wait = |text: &'static str| {
            retry_after(&HeaderMap::from_iter([(header::RETRY_AFTER, HeaderValue::from_static(text))]), now)
        };
        assert_eq!(wait("120"), Some(Duration::from_secs(120)));
        assert_eq!(wait("Fri, 20 Nov 2026 12:01:00 GMT"), Some(Duration::from_secs(60)));
        assert_eq!(wait("Fri, 20 Nov 2026 11:00:00 GMT"), Some(Duration::ZERO));
        assert_eq!(wait("soon"), None);
        assert_eq!(retry_after(&HeaderMap::new(), now), None);
    }
}
