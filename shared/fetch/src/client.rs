//! The HTTP client beneath the fetcher, with everything off that would act on its own.
//! No proxy, no redirects, no cookies, no retries, no pool: one request is one connection to a checked address.

use std::sync::Arc;

use http::HeaderValue;
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};

use super::resolver::Resolver;

/// Takes some milliseconds, mostly for the root certificates.
pub(super) fn client(user_agent: &HeaderValue, resolver: Resolver) -> reqwest::Client {
    let built = reqwest::Client::builder()
        .tls_backend_preconfigured(tls())
        .dns_resolver(resolver)
        .user_agent(user_agent.clone())
        .http1_only()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .pool_max_idle_per_host(0)
        .build();
    #[expect(
        clippy::expect_used,
        reason = "nothing in it depends on input, and every test of the fetcher builds it"
    )]
    built.expect("a client of fixed parts")
}

/// Mozilla's root certificates, compiled in: a Lambda image has no certificate store.
fn tls() -> ClientConfig {
    let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let versions = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions();
    #[expect(
        clippy::expect_used,
        reason = "ring serves both TLS versions, and every test of the fetcher runs this"
    )]
    let mut config = versions
        .expect("ring serves the default TLS versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    config
}
