//! The name of a host, as it is blocked and as listings are found by it: in lower case, without a port, and read from
//! its end, so that what lies under a name stands beside it in text order.

use std::fmt;
use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use url::{Host, Url};

/// The longest name of a host in the DNS, in bytes (RFC 1035 §2.3.4).
const LONGEST: usize = 253;

/// A host: a DNS name, or an address.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct HostName(String);

/// A text that names no host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a host: give a name such as agents.example.org, without https:// and without a port")]
pub struct InvalidHostName;

impl HostName {
    /// The host of a URL; none where it has none.
    #[must_use]
    pub fn of_url(url: &str) -> Option<Self> {
        let url = Url::parse(url).ok()?;
        Some(Self(url.host_str()?.trim_end_matches('.').to_owned()))
    }

    /// The domain that the name of a server description reverses: `example.com` for `com.example/weather`.
    #[must_use]
    pub fn of_server_name(name: &str) -> Option<Self> {
        let (namespace, _) = name.split_once('/')?;
        namespace.split('.').rev().collect::<Vec<_>>().join(".").parse().ok()
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether `other` is this host, or lies under it.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        other.reversed().starts_with(&self.reversed())
    }

    /// Its labels from the last to the first, each with a dot: no other host's begins with it unless it lies under it.
    #[must_use]
    pub fn reversed(&self) -> String {
        self.labels().rev().fold(String::new(), |text, label| text + label + ".")
    }

    /// Its last two labels: hosts are filed under these, so that a host is found with all that lie under it.
    #[must_use]
    pub fn zone(&self) -> String {
        let labels: Vec<&str> = self.labels().collect();
        labels[labels.len().saturating_sub(2)..].join(".")
    }

    /// The labels of a name; an address is one.
    fn labels(&self) -> impl DoubleEndedIterator<Item = &str> {
        let address = self.0.starts_with('[') || self.0.parse::<IpAddr>().is_ok();
        let dot = if address { '\0' } else { '.' };
        self.0.split(dot)
    }
}

impl TryFrom<String> for HostName {
    type Error = InvalidHostName;

    /// A top-level domain by itself is refused: whole countries are not blocked by a slip of the pen.
    fn try_from(text: String) -> Result<Self, Self::Error> {
        let bare = text.trim().trim_end_matches('.');
        let host = Host::parse(bare).map_err(|_| InvalidHostName)?;
        let name = host.to_string();
        let whole = match host {
            Host::Domain(_) => {
                name == "localhost" || name.split('.').filter(|label| !label.is_empty()).count() > 1
            }
            Host::Ipv4(_) | Host::Ipv6(_) => true,
        };
        let sound = whole && name.len() <= LONGEST && !name.starts_with('.') && !name.contains("..");
        if sound { Ok(Self(name)) } else { Err(InvalidHostName) }
    }
}

impl From<HostName> for String {
    fn from(host: HostName) -> Self {
        host.0
    }
}

impl std::str::FromStr for HostName {
    type Err = InvalidHostName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::try_from(text.to_owned())
    }
}

impl fmt::Display for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(text: &str) -> HostName {
        text.parse().unwrap()
    }

    #[test]
    fn a_host_covers_itself_and_what_lies_under_it() {
        let of_url = |url: &str| HostName::of_url(url).unwrap();
        for inside in [
            "https://evil.example.org/card.json",
            "https://A.B.Evil.example.org:8443/",
            "https://evil.example.org./",
        ] {
            assert!(host("Evil.Example.org.").covers(&of_url(inside)), "{inside}");
        }
        for outside in
            ["https://example.org/", "https://notevil.example.org/", "https://evil.example.org.example.com/"]
        {
            assert!(!host("evil.example.org").covers(&of_url(outside)), "{outside}");
        }
        assert!(host("127.0.0.1").covers(&of_url("http://127.0.0.1:8080/x")));
        assert!(!host("0.0.1.1").covers(&of_url("http://127.0.0.1/")), "an address has no parts");
    }

    #[test]
    fn all_that_lies_under_a_host_is_filed_in_its_zone() {
        for (text, zone, reversed) in [
            ("a.b.example.org", "example.org", "org.example.b.a."),
            ("example.org", "example.org", "org.example."),
            ("127.0.0.1", "127.0.0.1", "127.0.0.1."),
            ("[::1]", "[::1]", "[::1]."),
            ("localhost", "localhost", "localhost."),
        ] {
            assert_eq!((host(text).zone().as_str(), host(text).reversed().as_str()), (zone, reversed));
        }
    }

    #[test]
    fn what_names_no_host_is_refused() {
        let long = format!("{}org", "a.".repeat(130));
        for text in [
            "",
            ".",
            "com",
            "https://a.example.org",
            "a.example.org:8443",
            "a b.example.org",
            "a..example.org",
            &long,
        ] {
            assert_eq!(text.parse::<HostName>(), Err(InvalidHostName), "{text}");
        }
        assert_eq!(host("bücher.example.org").as_str(), "xn--bcher-kva.example.org");
    }
}
