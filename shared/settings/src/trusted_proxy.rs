//! A proxy in front of the registry, such as a CDN, that names the address of its client.

use std::net::{IpAddr, SocketAddr};

use registry_model::{BearerDigest, Secret};

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

/// Headers are pairs of a name in lower case and a value, in the order of the request; one name may occur several times.
impl TrustedProxy {
    /// `secrets` are separated by commas.
    pub fn new(secrets: &Secret, address_header: &str, is_required: bool) -> Self {
        let secrets = secrets.reveal().split(',').map(BearerDigest::of).collect();
        Self { secrets, address_header: address_header.to_ascii_lowercase(), is_required }
    }

    /// Whether a request must be refused, because it did not come through the proxy.
    pub fn refuses(
        &self,
        headers: impl IntoIterator<Item = (impl AsRef<str>, impl AsRef<[u8]>)> + Clone,
    ) -> bool {
        self.is_required && !self.has_sent(headers)
    }

    fn has_sent(
        &self,
        headers: impl IntoIterator<Item = (impl AsRef<str>, impl AsRef<[u8]>)> + Clone,
    ) -> bool {
        let secret = last_value(headers, PROXY_SECRET_HEADER).map(|secret| BearerDigest::of(&secret));
        secret.is_some_and(|secret| self.secrets.contains(&secret))
    }

    /// The address of the client that sent a request over a connection from `connection`. Without the secret, or without
    /// an address that can be read, this is the address of the connection. Of several addresses, the last counts: the
    /// proxy appended it, and the client can write the others.
    pub fn client(
        &self,
        connection: IpAddr,
        headers: impl IntoIterator<Item = (impl AsRef<str>, impl AsRef<[u8]>)> + Clone,
    ) -> IpAddr {
        let named = last_value(headers.clone(), &self.address_header).filter(|_| self.has_sent(headers));
        let last = named.as_deref().and_then(|named| named.rsplit(',').next()).map(str::trim);
        last.and_then(address_of).unwrap_or(connection)
    }
}

/// The last value of a header whose name is in lower case; `None` also for a value that is not ASCII.
fn last_value(
    headers: impl IntoIterator<Item = (impl AsRef<str>, impl AsRef<[u8]>)>,
    name: &str,
) -> Option<String> {
    let (_, value) = headers.into_iter().filter(|(header, _)| header.as_ref() == name).last()?;
    str::from_utf8(value.as_ref()).ok().filter(|text| text.is_ascii()).map(str::to_owned)
}

/// An address, with or without a port, as different proxies write it.
fn address_of(text: &str) -> Option<IpAddr> {
    let with_port = || text.parse::<SocketAddr>().ok().map(|address| address.ip());
    // CloudFront writes IPv6 addresses with a port, but without brackets.
    let before_port = || text.rsplit_once(':').and_then(|(address, _)| address.parse().ok());
    text.parse().ok().or_else(with_port).or_else(before_port)
}

#[cfg(test)]
mod tests;
