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
mod tests;
