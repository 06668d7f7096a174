//! The caller of a request: the address of the caller, which the rate limits use, and the bearer token.
//! Callers can forge any header. So only the gateway sets the address, both on AWS and on the local server.

use std::net::IpAddr;

use sha2::{Digest, Sha256};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ipv6_callers_of_one_network_count_as_one_caller() {
        let name = |text: &str| Caller { address: Some(text.parse().unwrap()), bearer: None }.name();
        assert_eq!(name("2001:db8:1:2:3:4:5:6"), name("2001:db8:1:fe::9"));
        assert_ne!(name("2001:db8:1:2::9"), name("2001:db8:1:102::9"));
        assert_eq!(name("::ffff:192.0.2.1"), "192.0.2.1");
    }
}
