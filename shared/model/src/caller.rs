//! Who asks: the address that rates are counted by. The gateway tells it, on AWS as on one machine; a header
//! that a caller could write is never believed.

use std::net::IpAddr;

use sha2::{Digest, Sha256};

/// The peer's address, put beside a request by the gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallerAddress(pub IpAddr);

/// The caller of an operation, in any protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Caller {
    /// The address, where the gateway told one.
    pub address: Option<IpAddr>,
    /// The bearer token of the request (RFC 6750), by its digest.
    pub bearer: Option<BearerDigest>,
}

/// A bearer token by its SHA-256: enough to compare it, and nothing that a log could give away. Comparing digests tells
/// nothing of the token by its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BearerDigest([u8; 32]);

impl BearerDigest {
    /// The digest of a token.
    #[must_use]
    pub fn of(token: &str) -> Self {
        Self(Sha256::digest(token).into())
    }
}

impl Caller {
    /// The name that rates are counted by. An IPv6 caller owns a whole /64, so that counts as one.
    #[must_use]
    pub fn name(&self) -> String {
        match self.address {
            None => "unknown".to_owned(),
            Some(IpAddr::V4(v4)) => v4.to_string(),
            Some(IpAddr::V6(v6)) => match v6.to_ipv4_mapped() {
                Some(v4) => v4.to_string(),
                None => {
                    let [a, b, c, d, ..] = v6.segments();
                    format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ipv6_caller_is_its_network() {
        let name = |text: &str| Caller { address: Some(text.parse().unwrap()), bearer: None }.name();
        assert_eq!(name("2001:db8:1:2:3:4:5:6"), name("2001:db8:1:2::9"));
        assert_eq!(name("::ffff:192.0.2.1"), "192.0.2.1");
    }
}
