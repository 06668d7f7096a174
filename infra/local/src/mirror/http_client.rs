//! The HTTP client for one registry. It trusts Mozilla's roots rather than the machine's, and follows no redirect to
//! another host, so that documents go only where the operator said.

use std::sync::Arc;
use std::time::Duration;

use reqwest::redirect::Policy;
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use url::Url;

use super::loopback::is_loopback;

/// The most time that one request and its answer take.
pub(super) const DEADLINE: Duration = Duration::from_secs(30);
/// The most time that opening a connection takes.
const CONNECT: Duration = Duration::from_secs(10);

/// A proxy from the environment is for other machines only.
pub(super) fn client(url: &Url, max_redirects: usize) -> Result<reqwest::Client, String> {
    let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let itself = url.origin();
    let redirects = Policy::custom(move |attempt| {
        if attempt.url().origin() == itself && attempt.previous().len() <= max_redirects {
            attempt.follow()
        } else {
            attempt.stop()
        }
    });
    let built = reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .user_agent(format!("registry-mirror/{}", registry::VERSION))
        .redirect(redirects)
        .retry(reqwest::retry::never())
        .connect_timeout(CONNECT)
        .timeout(DEADLINE);
    let built = if is_loopback(url) { built.no_proxy() } else { built };
    built.build().map_err(|error| error.to_string())
}
