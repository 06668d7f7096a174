//! The caller of a request: the address of the caller, which the rate limits use, and the bearer token.
//! Callers can forge any header. So only the gateway sets the address, both on AWS and on the local server.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};

use axum_core::extract::FromRequestParts;
use http::header::{self, HeaderMap};
use http::request::Parts;
use sha2::{Digest, Sha256};

use super::Secret;

/// The address of the caller, added to a request as an extension by the gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallerAddress(pub IpAddr);

/// The id that the gateway gave to a request. A caller cannot choose it: no header of the caller is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(pub String);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Caller {
    /// Absent if the gateway gave no address.
    pub address: Option<IpAddr>,
    /// The digest of the request's bearer token (RFC 6750).
    pub bearer: Option<BearerDigest>,
}

/// A proxy in front of the registry, such as a CDN. It proves itself with a secret and names the address of its client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedProxy {
    /// The secret, and during its rotation also the previous one.
    secrets: Vec<BearerDigest>,
    /// The header with the address of the client, in lower case.
    address_header: String,
    is_required: bool,
}

pub const PROXY_SECRET_HEADER: &str = "x-proxy-secret";

impl TrustedProxy {
    /// `secrets` are separated by commas.
    pub fn new(secrets: &Secret, address_header: &str, is_required: bool) -> Self {
        let secrets = secrets.reveal().split(',').map(BearerDigest::of).collect();
        Self { secrets, address_header: address_header.to_ascii_lowercase(), is_required }
    }

    /// Whether a request must be refused, because it did not come through the proxy.
    pub fn refuses(&self, headers: &HeaderMap) -> bool {
        self.is_required && !self.has_sent(headers)
    }

    fn has_sent(&self, headers: &HeaderMap) -> bool {
        let secret = last_value(headers, PROXY_SECRET_HEADER).map(BearerDigest::of);
        secret.is_some_and(|secret| self.secrets.contains(&secret))
    }

    /// The address of the client that sent a request over a connection from `connection`. Without the secret, or without
    /// an address that can be read, this is the address of the connection. Of several addresses, the last counts: the
    /// proxy appended it, and the client can write the others.
    pub fn client(&self, connection: IpAddr, headers: &HeaderMap) -> IpAddr {
        let named = last_value(headers, &self.address_header).filter(|_| self.has_sent(headers));
        let last = named.and_then(|named| named.rsplit(',').next()).map(str::trim);
        last.and_then(address_of).unwrap_or(connection)
    }
}

fn last_value<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get_all(name).iter().next_back()?.to_str().ok()
}

/// An address, with or without a port, as different proxies write it.
fn address_of(text: &str) -> Option<IpAddr> {
    let with_port = || text.parse::<SocketAddr>().ok().map(|address| address.ip());
    // CloudFront writes IPv6 addresses with a port, but without brackets.
    let before_port = || text.rsplit_once(':').and_then(|(address, _)| address.parse().ok());
    text.parse().ok().or_else(with_port).or_else(before_port)
}

/// SHA-256 of a bearer token: enough to compare tokens, and safe in a log. Comparing it leaks nothing about the token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BearerDigest([u8; 32]);

impl BearerDigest {
    pub fn of(token: &str) -> Self {
        Self(Sha256::digest(token).into())
    }
}

impl Caller {
    /// The network of the caller, by which rate limits count. A customer gets a whole /56 of IPv6 addresses (RIPE-690 §4.2),
    /// so that counts as one caller. It contains the address: keep it in memory only. The table stores
    /// `App::caller_digest`.
    pub fn name(&self) -> String {
        match self.address {
            None => "unknown".to_owned(),
            Some(IpAddr::V4(v4)) => v4.to_string(),
            Some(IpAddr::V6(v6)) => match v6.to_ipv4_mapped() {
                Some(v4) => v4.to_string(),
                None => {
                    let [a, b, c, d, ..] = v6.segments();
                    format!("{a:x}:{b:x}:{c:x}:{:x}::/56", d & 0xff00)
                }
            },
        }
    }
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        let address = parts.extensions.get::<CallerAddress>().map(|address| address.0);
        let authorization = parts.headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        Ok(Self { address, bearer: authorization.and_then(bearer).map(BearerDigest::of) })
    }
}

/// The token of an `Authorization` header with the scheme `Bearer` in any case (RFC 9110 §11.1).
fn bearer(authorization: &str) -> Option<&str> {
    let (scheme, token) = authorization.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

#[cfg(test)]
mod tests;
