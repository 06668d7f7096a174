//! The guarded fetcher: the only code that opens a connection to an address that a stranger chose
//! (`specification.md#guarded-fetcher`).
//!
//! A request goes to its first URL and then to the URL of each redirect. Each of these URLs is parsed,
//! resolved, and checked. Each request has its own limits for time, bytes, and redirects. This crate may use
//! only the model crate (`registry-model`). No other crate opens connections to strangers.
//!
//! Start reading at [`Fetcher::send`]. [`Target`] has the rules for URLs, and the module `address` those for IP addresses.
//!
//! The HTTP client does nothing automatically: it has no proxy, cookies, or connection pool, and it does not
//! retry or follow redirects. For each request, it opens one connection to a checked address.

pub mod address;
pub mod target;

mod answer;
mod failure;
mod redirect;
mod request;
mod resolver;
mod signer;
#[cfg(test)]
mod tests;
mod txt;

use registry_model::{NameServers, Reach};
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method};
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio::time::timeout;
use url::Host;

pub use answer::Answer;
pub use failure::{FetchError, TlsFailure};
pub use request::{
    Follow, IsComplete, MAX_CARD_BYTES, MAX_CARD_REDIRECTS, MAX_ENDPOINT_ANSWER_BYTES, PREFLIGHT, PROBE,
    ReadUntil, Request,
};
pub use signer::Signer;
pub use target::{Target, TargetError};
pub use txt::{OwnRecords, TxtError};

use resolver::Resolver;

/// Which loopback ports this process may connect to; see [`limit_local_ports`].
static LOCAL_PORTS: OnceLock<fn(u16) -> bool> = OnceLock::new();

/// From now on, loopback ports that `is_allowed` rejects count as closed, so that no test reaches a foreign server.
pub fn limit_local_ports(is_allowed: fn(u16) -> bool) {
    let _first_limit_stays = LOCAL_PORTS.set(is_allowed);
}

/// Sends requests to servers that strangers chose. Cheap to create (the first request builds the client) and to clone.
#[derive(Clone, Debug)]
pub struct Fetcher {
    own_host: Option<Arc<str>>,
    name_servers: NameServers,
    signer: Option<Signer>,
    core: Arc<Core>,
}

#[derive(Debug)]
struct Core {
    resolver: Resolver,
    user_agent: HeaderValue,
    client: OnceLock<reqwest::Client>,
}

impl Fetcher {
    /// `own_host` (a host name without a port) is never called, so that the registry does not probe itself in a loop.
    pub fn new(reach: Reach, user_agent: &str, own_host: Option<&str>) -> Self {
        Self::with_resolver(Resolver { reach, lookup: resolver::system_lookup }, user_agent, own_host)
    }

    fn with_resolver(resolver: Resolver, user_agent: &str, own_host: Option<&str>) -> Self {
        // Printable ASCII always makes a header; other characters of an operator's brand are dropped.
        let printable: String = user_agent.chars().filter(|c| matches!(c, ' '..='~')).collect();
        let user_agent =
            HeaderValue::try_from(printable).unwrap_or_else(|_| HeaderValue::from_static("registry"));
        Self {
            own_host: own_host.map(|host| host.trim_end_matches('.').to_ascii_lowercase().into()),
            name_servers: NameServers::System,
            signer: None,
            core: Arc::new(Core { resolver, user_agent, client: OnceLock::new() }),
        }
    }

    pub fn with_name_servers(self, name_servers: NameServers) -> Self {
        Self { name_servers, ..self }
    }

    /// Signs each request, also those that follow a redirect, for the authority of their own URL.
    #[must_use]
    pub fn with_signer(self, signer: Signer) -> Self {
        Self { signer: Some(signer), ..self }
    }

    pub fn reach(&self) -> Reach {
        self.core.resolver.reach
    }

    /// For the one listing that is the registry itself.
    pub fn without_own_host_rule(&self) -> Self {
        Self { own_host: None, ..self.clone() }
    }

    pub async fn send(&self, request: Request) -> Result<Answer, FetchError> {
        let after = request.deadline;
        timeout(after, self.send_through_redirects(request))
            .await
            .map_err(|_| FetchError::Timeout { after })?
    }

    async fn send_through_redirects(&self, request: Request) -> Result<Answer, FetchError> {
        let started = Instant::now();
        let Request { method, mut target, mut headers, body, max_bytes, follow, until, .. } = request;
        let (first, mut hops) = (target.origin(), 0);
        loop {
            let asked = self.ask(&method, &target, headers.clone(), body.clone()).await;
            let response = asked.map_err(|error| match target.origin() {
                origin if origin == first => error,
                origin => FetchError::AfterRedirect { origin, error: Box::new(error) },
            })?;
            let (status, received) = (response.status(), response.headers());
            if let Some(to) = redirect::next(follow, &method, &target, status, received, hops, self.reach())?
            {
                headers = redirect::headers_for(&to, &target, headers);
                target = to;
                hops += 1;
                continue;
            }
            let headers = answer::normalized(received.clone());
            let (body, truncated) = answer::read_body(response, max_bytes, until).await?;
            return Ok(Answer { status, headers, body, target, elapsed: started.elapsed(), truncated });
        }
    }

    async fn ask(
        &self,
        method: &Method,
        target: &Target,
        mut headers: HeaderMap,
        body: Option<Bytes>,
    ) -> Result<reqwest::Response, FetchError> {
        self.check_allowed(target)?;
        if let Some(signer) = &self.signer {
            headers.extend(signer.headers(target.authority()).await);
        }
        let client = self.core.client.get_or_init(|| client(&self.core.user_agent, self.core.resolver));
        let mut request = client.request(method.clone(), target.url().clone()).headers(headers);
        if let Some(body) = body {
            request = request.body(body);
        }
        let secure = target.url().scheme() == "https";
        request.send().await.map_err(|error| FetchError::of_client(&error, secure))
    }

    /// Opens a connection and closes it again: the preflight of an endpoint that accepts only POST.
    pub async fn connect(&self, target: &Target, deadline: Duration) -> Result<(), FetchError> {
        let connected = async {
            self.check_allowed(target)?;
            let addresses = match target.url().host() {
                Some(Host::Ipv4(ip)) => vec![IpAddr::V4(ip)],
                Some(Host::Ipv6(ip)) => vec![IpAddr::V6(ip)],
                _ => self.core.resolver.addresses(target.host()).await?,
            };
            connect_to_one_of(&addresses, target.port(), deadline).await
        };
        timeout(deadline, connected).await.unwrap_or(Err(FetchError::Timeout { after: deadline }))
    }

    /// The TXT records at a domain, one text for each; empty if the name or the record does not exist.
    pub async fn txt_records(&self, domain: &str, deadline: Duration) -> Result<Vec<String>, TxtError> {
        let target = Target::parse(&format!("https://{domain}/"), self.reach())?;
        txt::records(target.host(), self.name_servers, deadline).await
    }

    /// Applies the static rules again, because the target may have been parsed with a wider reach.
    fn check_allowed(&self, target: &Target) -> Result<(), FetchError> {
        Target::parse_url(target.url().clone(), self.reach())?;
        if target.is_loopback() && LOCAL_PORTS.get().is_some_and(|is_allowed| !is_allowed(target.port())) {
            return Err(FetchError::Refused);
        }
        match &self.own_host {
            Some(own) if **own == *target.host() => Err(FetchError::OwnHost),
            _ => Ok(()),
        }
    }
}

/// Tries the addresses in turn, each for its share of the time, so that a dead one does not hide a working one.
async fn connect_to_one_of(addresses: &[IpAddr], port: u16, deadline: Duration) -> Result<(), FetchError> {
    let time_for_each = deadline / u32::try_from(addresses.len()).unwrap_or(u32::MAX).max(1);
    let mut last = FetchError::Refused;
    for ip in addresses {
        last = match timeout(time_for_each, TcpStream::connect(SocketAddr::new(*ip, port))).await {
            Ok(Ok(_)) => return Ok(()),
            Ok(Err(error)) => FetchError::of_connect(&error),
            Err(_) => FetchError::Timeout { after: deadline },
        };
    }
    Err(last)
}

fn client(user_agent: &HeaderValue, resolver: Resolver) -> reqwest::Client {
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
pub fn tls() -> ClientConfig {
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
