//! Whether two URLs belong to one owner, by the public suffix list.
//! Hosting platforms are on that list, so neighbors on `vercel.app` are strangers to each other.

use std::net::Ipv4Addr;

use url::{Host, Url};

/// True if both URLs have the same registrable domain or the same address, or both are on this machine.
pub(crate) fn same_owner(one: &str, other: &str) -> bool {
    match (host_of(one), host_of(other)) {
        (Some(one), Some(other)) => {
            one == other || (is_this_machine(&one) && is_this_machine(&other)) || same_domain(&one, &other)
        }
        _ => false,
    }
}

pub(super) fn is_loopback(url: &str) -> bool {
    host_of(url).is_some_and(|host| match host {
        Host::Ipv4(address) => address.is_loopback(),
        other => is_this_machine(&other),
    })
}

/// Also accepts a bare `host:port`.
fn host_of(url: &str) -> Option<Host<String>> {
    let parsed = if url.contains("://") { Url::parse(url) } else { Url::parse(&format!("https://{url}")) };
    parsed.ok()?.host().map(|host| host.to_owned())
}

/// The other addresses of 127.0.0.0/8 are not included: in development they represent hosts that are strangers to
/// each other.
fn is_this_machine(host: &Host<String>) -> bool {
    match host {
        Host::Domain(name) => name == "localhost" || name.ends_with(".localhost"),
        Host::Ipv4(address) => *address == Ipv4Addr::LOCALHOST,
        Host::Ipv6(address) => address.is_loopback(),
    }
}

/// A public suffix itself has no registrable domain.
fn same_domain(one: &Host<String>, other: &Host<String>) -> bool {
    let (Host::Domain(one), Host::Domain(other)) = (one, other) else { return false };
    let registrable = |name: &str| psl::domain_str(name.trim_end_matches('.')).map(str::to_owned);
    registrable(one).is_some_and(|domain| registrable(other).as_ref() == Some(&domain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_owner_is_one_registrable_domain() {
        let same = [
            ("https://example.com/card.json", "https://example.com/a2a"),
            ("https://example.com/card.json", "https://api.example.com/a2a"),
            ("https://www.example.co.uk/", "https://api.example.co.uk/"),
            ("https://example.com/", "api.example.com:443"),
            ("https://EXAMPLE.com./", "https://a.example.com/"),
            ("http://127.0.0.1:1/card", "http://127.0.0.1:2/a2a"),
            ("http://localhost:1/card", "http://[::1]:2/a2a"),
            ("https://a.vercel.app/card", "https://a.vercel.app/a2a"),
            ("https://github.io/", "https://github.io/x"),
        ];
        for (one, other) in same {
            assert!(same_owner(one, other), "{one} {other}");
        }
        let different = [
            ("https://example.com/", "https://example.org/"),
            ("https://example.com/", "https://example.com.evil.net/"),
            ("https://a.vercel.app/", "https://b.vercel.app/"),
            ("https://one.co.uk/", "https://two.co.uk/"),
            ("https://192.0.2.1/", "https://192.0.2.2/"),
            ("https://example.com/", "https://192.0.2.1/"),
            ("http://localhost/", "https://example.com/"),
            ("http://127.0.0.1:1/", "http://127.0.0.2:1/"),
            ("https://example.com/", "not a url"),
        ];
        for (one, other) in different {
            assert!(!same_owner(one, other), "{one} {other}");
        }
    }
}
