//! Fuzz target: the fetcher's address guard in public mode. Every URL that it accepts has a host name and not
//! an IP address. If the normal form of a URL is parsed again, the result is the same. A second, simpler
//! implementation makes the same decisions on addresses.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use registry::fetch::address::is_public;
use registry::fetch::{Target, TargetError};
use registry::model::Reach;

use super::Verdict;

pub(super) fn read(case: &[u8]) -> Verdict {
    assert_addresses(case);
    let text = String::from_utf8_lossy(case);
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    // A second line is a reference relative to the first, such as a redirect or an endpoint.
    if let Ok(target) = Target::parse(first, Reach::Public)
        && let Ok(joined) = target.join(rest, Reach::Development)
    {
        assert_guarantees(&joined);
    }
    judge(&text)
}

/// Checks a URL as the fetcher does before name resolution, and checks the guarantees of an accepted one.
pub(super) fn judge(text: &str) -> Verdict {
    let development = Target::parse(text, Reach::Development);
    match Target::parse(text, Reach::Public) {
        Ok(target) => {
            assert_guarantees(&target);
            assert_eq!(development.as_ref(), Ok(&target), "a public URL is accepted in development mode");
            Verdict::Accepted
        }
        Err(error) => {
            assert!(development.is_err() || development.is_ok_and(|target| target.is_loopback()), "{text}");
            Verdict::refused([error.code().as_str()])
        }
    }
}

fn assert_guarantees(target: &Target) {
    let again = Target::parse(target.as_str(), Reach::Public);
    assert_eq!(again.as_ref(), Ok(target), "the normal form parses to itself");
    let (url, host) = (target.url(), target.host());
    assert!(url.scheme() == "https" && url.username().is_empty() && url.password().is_none());
    assert!(url.fragment().is_none() && target.as_str().len() <= 2048);
    assert!(matches!(target.port(), 443 | 8443) && target.port() == url.port_or_known_default().unwrap_or(0));
    assert!(!target.is_loopback() && url.domain() == Some(host));
    // A system resolver reads more spellings as addresses than the URL standard.
    assert!(host.parse::<IpAddr>().is_err() && !is_number(host), "{host} is an address for some resolvers");
    let safe =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'_');
    assert!(host.bytes().all(safe) && host.contains('.') && !host.ends_with('.'), "{host}");
    let last = host.rsplit('.').next().unwrap_or_default();
    let inward =
        ["localhost", "local", "internal", "arpa", "localdomain", "lan", "home", "corp", "svc", "test"];
    assert!(!inward.contains(&last), "{host}");
    let domain = target.registrable_domain();
    assert!(domain.is_none_or(|domain| host == domain || host.ends_with(&format!(".{domain}"))));
}

/// Whether `inet_aton`, which system resolvers try first, reads a name as an address: one to four decimal, octal or
/// hexadecimal numbers.
fn is_number(host: &str) -> bool {
    let part = |part: &str| {
        let digits = part.strip_prefix("0x").unwrap_or(part);
        let hex = part.starts_with("0x");
        (hex || !digits.is_empty())
            && digits.bytes().all(|b| if hex { b.is_ascii_hexdigit() } else { b.is_ascii_digit() })
    };
    host.split('.').count() <= 4 && host.split('.').all(part)
}

/// Compares the decision on an address with the special ranges of the standard library.
fn assert_addresses(case: &[u8]) {
    let Some(bytes) = case.first_chunk::<16>() else { return };
    let v6 = Ipv6Addr::from(*bytes);
    let [a, b, c, d, ..] = *bytes;
    let v4 = Ipv4Addr::new(a, b, c, d);
    assert!(!is_public(v4.into()) || !is_special(v4), "{v4}");
    assert_eq!(is_public(v4.to_ipv6_mapped().into()), is_public(v4.into()));
    assert!(!is_public(v4.to_ipv6_compatible().into()));
    assert!(!is_public(v6.into()) || v6.segments()[0] & 0xe000 == 0x2000 || embeds_public(v6), "{v6}");
    assert!(!(v6.is_loopback() || v6.is_unspecified() || v6.is_multicast()) || !is_public(v6.into()), "{v6}");
    let blocked = TargetError::IpLiteral;
    for host in
        [v4.to_string(), format!("[{v6}]"), u32::from(v4).to_string(), format!("0x{:x}", u32::from(v4))]
    {
        assert_eq!(Target::parse(&format!("https://{host}/"), Reach::Public), Err(blocked), "{host}");
    }
}

fn is_special(ip: Ipv4Addr) -> bool {
    ip.is_private()
        || ip.is_loopback()
        || ip.is_link_local()
        || ip.is_multicast()
        || ip.is_broadcast()
        || ip.is_documentation()
        || ip.is_unspecified()
        || ip.octets()[0] == 0
        || ip.octets()[0] >= 224
}

/// Whether this is the IPv4-mapped or NAT64 form of a public address.
fn embeds_public(ip: Ipv6Addr) -> bool {
    let [a, b, c, d, e, f, g, h] = ip.segments();
    let within =
        (a, b, c, d, e, f) == (0, 0, 0, 0, 0, 0xffff) || (a, b, c, d, e, f) == (0x64, 0xff9b, 0, 0, 0, 0);
    within && is_public(Ipv4Addr::from_bits((u32::from(g) << 16) | u32::from(h)).into())
}
