//! The name of a host, in lower case and without a port. Blocks of hosts and look-ups by host use this form.
//! In the reversed form (`com.example`), the subdomains of a host sort next to the host.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use url::{Host, Url};

/// Bytes of a DNS name (RFC 1035 §2.3.4).
const MAX_LENGTH: usize = 253;

/// A host: a DNS name, or an address.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct HostName(String);

text_type!(
    HostName,
    InvalidHostName,
    "not a host name; send a name such as agents.example.org, without https:// and without a port",
    |text: String| {
        let host = Host::parse(text.trim().trim_end_matches('.')).ok()?;
        let name = host.to_string();
        // A top-level domain alone is refused, so that no typing error blocks a whole country.
        let is_whole = match host {
            Host::Domain(_) => {
                name == "localhost" || name.split('.').filter(|label| !label.is_empty()).count() > 1
            }
            Host::Ipv4(_) | Host::Ipv6(_) => true,
        };
        let fits = is_whole && name.len() <= MAX_LENGTH && !name.starts_with('.') && !name.contains("..");
        fits.then_some(name)
    }
);

/// By the Public Suffix List: `example.org` for `agents.example.org`. `None` if the name is itself a public suffix.
// Not inlined, because otherwise the whole list is compiled again in every crate that asks.
#[inline(never)]
pub fn registrable_domain(name: &str) -> Option<&str> {
    psl::domain_str(name)
}

/// Whether the name ends in a suffix of the Public Suffix List, and is more than this suffix.
#[inline(never)]
pub fn has_public_suffix(name: &str) -> bool {
    psl::domain(name.as_bytes()).is_some_and(|domain| domain.suffix().is_known())
}

impl HostName {
    pub fn of_url(url: &str) -> Option<Self> {
        let url = Url::parse(url).ok()?;
        Some(Self(url.host_str()?.trim_end_matches('.').to_owned()))
    }

    /// The domain in the name of a server description: `example.com` for `com.example/weather`.
    pub fn of_server_name(name: &str) -> Option<Self> {
        let (namespace, _) = name.split_once('/')?;
        namespace.split('.').rev().collect::<Vec<_>>().join(".").parse().ok()
    }

    /// Whether `other` is this host or a subdomain of it.
    pub fn covers(&self, other: &Self) -> bool {
        other.reversed().starts_with(&self.reversed())
    }

    /// The labels of the host from the last to the first, each with a dot: a prefix of the result for every subdomain.
    pub fn reversed(&self) -> String {
        self.labels().rev().fold(String::new(), |text, label| text + label + ".")
    }

    /// The last two labels. Hosts are stored under them, so that a host is found together with its subdomains.
    pub fn zone(&self) -> String {
        let labels: Vec<&str> = self.labels().collect();
        labels[labels.len().saturating_sub(2)..].join(".")
    }

    /// An address counts as one label.
    fn labels(&self) -> impl DoubleEndedIterator<Item = &str> {
        let address = self.0.starts_with('[') || self.0.parse::<IpAddr>().is_ok();
        let dot = if address { '\0' } else { '.' };
        self.0.split(dot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(text: &str) -> HostName {
        text.parse().unwrap()
    }

    #[test]
    fn a_host_includes_itself_and_its_subdomains() {
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
    fn hosts_are_stored_under_their_registrable_domain() {
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
    fn invalid_hosts_are_refused() {
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
