//! The guard of the fetcher: whatever text it takes in public leads to a name and never to an address, its normal form
//! reads as itself, and the decision on addresses agrees with a second, plainer one.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use registry::fetch::address::is_public;
use registry::fetch::{Target, TargetError};
use registry::model::Reach;

use super::Verdict;

pub(super) fn read(case: &[u8]) -> Verdict {
    hold_addresses(case);
    let text = String::from_utf8_lossy(case);
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    // A second line is a reference that is found at the first: a redirect, an endpoint.
    if let Ok(target) = Target::parse(first, Reach::Public)
        && let Ok(joined) = target.join(rest, Reach::Development)
    {
        hold(&joined);
    }
    judge(&text)
}

/// Judges a URL as the fetcher does before it resolves anything, and holds what is taken to the promises.
pub(super) fn judge(text: &str) -> Verdict {
    let developed = Target::parse(text, Reach::Development);
    match Target::parse(text, Reach::Public) {
        Ok(target) => {
            hold(&target);
            assert_eq!(developed.as_ref(), Ok(&target), "what is public is taken in development, too");
            Verdict::Accepted
        }
        Err(error) => {
            assert!(developed.is_err() || developed.is_ok_and(|target| target.is_loopback()), "{text}");
            Verdict::refused([error.code()])
        }
    }
}

fn hold(target: &Target) {
    assert_eq!(
        Target::parse(target.as_str(), Reach::Public).as_ref(),
        Ok(target),
        "its normal form is itself"
    );
    let (url, host) = (target.url(), target.host());
    assert!(url.scheme() == "https" && url.username().is_empty() && url.password().is_none());
    assert!(url.fragment().is_none() && target.as_str().len() <= 2048);
    assert!(matches!(target.port(), 443 | 8443) && target.port() == url.port_or_known_default().unwrap_or(0));
    assert!(!target.is_loopback() && url.domain() == Some(host));
    // Nothing that a resolver of the system would read as an address: it takes more spellings than the URL standard.
    assert!(host.parse::<IpAddr>().is_err() && !is_number(host), "{host} is an address to some");
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

/// Whether `inet_aton`, which resolvers of systems ask first, reads a name as an address: one to four numbers, each in
/// decimal, octal or hexadecimal.
fn is_number(host: &str) -> bool {
    let part = |part: &str| {
        let digits = part.strip_prefix("0x").unwrap_or(part);
        let hex = part.starts_with("0x");
        (hex || !digits.is_empty())
            && digits.bytes().all(|b| if hex { b.is_ascii_hexdigit() } else { b.is_ascii_digit() })
    };
    host.split('.').count() <= 4 && host.split('.').all(part)
}

/// The decision on an address, held against the standard library's words for what is special.
fn hold_addresses(case: &[u8]) {
    let Some(bytes) = case.first_chunk::<16>() else { return };
    let v6 = Ipv6Addr::from(*bytes);
    let [a, b, c, d, ..] = *bytes;
    let v4 = Ipv4Addr::new(a, b, c, d);
    assert!(!is_public(v4.into()) || !is_special(v4), "{v4}");
    assert_eq!(is_public(v4.to_ipv6_mapped().into()), is_public(v4.into()));
    assert!(!is_public(v4.to_ipv6_compatible().into()));
    assert!(!is_public(v6.into()) || v6.segments()[0] & 0xe000 == 0x2000 || hides_public(v6), "{v6}");
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

/// Mapped or by NAT64, of an address that is itself public.
fn hides_public(ip: Ipv6Addr) -> bool {
    let [a, b, c, d, e, f, g, h] = ip.segments();
    let within =
        (a, b, c, d, e, f) == (0, 0, 0, 0, 0, 0xffff) || (a, b, c, d, e, f) == (0x64, 0xff9b, 0, 0, 0, 0);
    within && is_public(Ipv4Addr::from_bits((u32::from(g) << 16) | u32::from(h)).into())
}
