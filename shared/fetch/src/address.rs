//! Decides whether an address belongs to the public internet. This is the last check before a connection is
//! opened. The rules are a table and need no I/O, so that every rule can be tested without a network.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{Ipv4Net, Ipv6Net};

const fn v4(a: u8, b: u8, c: u8, d: u8, prefix: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix)
}

const fn v6(first: u16, second: u16, prefix: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(first, second, 0, 0, 0, 0, 0, 0), prefix)
}

/// The IANA IPv4 special-purpose registry (RFC 6890) without the blocks that are globally reachable.
const NOT_PUBLIC_V4: [Ipv4Net; 16] = [
    v4(0, 0, 0, 0, 8),        // "this network"
    v4(10, 0, 0, 0, 8),       // private (RFC 1918)
    v4(100, 64, 0, 0, 10),    // carrier-grade NAT; one cloud keeps its metadata service there
    v4(127, 0, 0, 0, 8),      // loopback; the Lambda runtime API listens there
    v4(168, 63, 129, 16, 32), // a public number that one cloud routes to the host of the machine
    v4(169, 254, 0, 0, 16),   // link-local: metadata and container credentials
    v4(172, 16, 0, 0, 12),    // private
    v4(192, 0, 0, 0, 24),     // protocol assignments
    v4(192, 0, 2, 0, 24),     // documentation
    v4(192, 88, 99, 0, 24),   // 6to4 relays, withdrawn
    v4(192, 168, 0, 0, 16),   // private
    v4(198, 18, 0, 0, 15),    // benchmarks
    v4(198, 51, 100, 0, 24),  // documentation
    v4(203, 0, 113, 0, 24),   // documentation
    v4(224, 0, 0, 0, 4),      // multicast
    v4(240, 0, 0, 0, 4),      // reserved, broadcast
];

/// The only block that IANA assigns as global unicast (RFC 4291 §2.4); everything outside it is refused.
const GLOBAL_UNICAST: Ipv6Net = v6(0x2000, 0, 3);

/// Blocks within global unicast that are not the public internet, or that hide an IPv4 address.
const NOT_PUBLIC_V6: [Ipv6Net; 4] = [
    v6(0x2001, 0, 23),      // protocol assignments: Teredo, benchmarks, both ORCHIDs
    v6(0x2001, 0x0db8, 32), // documentation
    v6(0x2002, 0, 16),      // 6to4: leads to whatever IPv4 address it embeds
    v6(0x3fff, 0, 20),      // documentation
];

/// The well-known prefix of NAT64 (RFC 6052), which name servers of IPv6-only networks answer with.
const NAT64: Ipv6Net = v6(0x0064, 0xff9b, 96);

/// Whether `ip` is on the public internet (`specification.md#guarded-fetcher`; IANA special-purpose registries). Some
/// IPv6 forms contain an IPv4 address. If such a form is really used (mapped, NAT64), the IPv4 address is checked.
/// Otherwise the address is refused.
pub fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => match embedded_v4(ip) {
            Some(embedded) => is_public_v4(embedded),
            None => GLOBAL_UNICAST.contains(&ip) && !NOT_PUBLIC_V6.iter().any(|net| net.contains(&ip)),
        },
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    !NOT_PUBLIC_V4.iter().any(|net| net.contains(&ip))
}

fn embedded_v4(ip: Ipv6Addr) -> Option<Ipv4Addr> {
    if NAT64.contains(&ip) {
        let [.., a, b, c, d] = ip.octets();
        return Some(Ipv4Addr::new(a, b, c, d));
    }
    ip.to_ipv4_mapped()
}

#[cfg(test)]
mod tests;
