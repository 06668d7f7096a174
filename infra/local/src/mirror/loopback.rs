//! Loopback addresses are exempt from two rules for other machines: https only, and the proxy of the environment.
//! Both rules need the same answer, so it is decided here once.

use url::{Host, Url};

pub(super) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => false,
    }
}
