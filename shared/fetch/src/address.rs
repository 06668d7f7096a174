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
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The first and the last address of every block that must be refused, written out by hand.
    const REFUSED: &str = "
        0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.100.100.200 100.127.255.255
        127.0.0.1 127.255.255.255 168.63.129.16
        169.254.0.0 169.254.169.254 169.254.170.2 169.254.170.23 169.254.255.255
        172.16.0.0 172.31.255.255 192.0.0.0 192.0.0.192 192.0.0.255 192.0.2.0 192.0.2.255
        192.88.99.0 192.88.99.255 192.168.0.0 192.168.255.255 198.18.0.0 198.19.255.255
        198.51.100.0 198.51.100.255 203.0.113.0 203.0.113.255 224.0.0.0 239.255.255.255 240.0.0.0
        255.255.255.255
        :: ::1 ::2 ::7f00:1 ::ffff:10.0.0.1 ::ffff:127.0.0.1 ::ffff:169.254.169.254
        64:ff9b::10.0.0.1 64:ff9b::169.254.169.254 64:ff9b::127.0.0.1
        64:ff9b:1:: 64:ff9b:1::808:808 64:ff9b:1:ffff:ffff:ffff:ffff:ffff
        100:: 100::ffff:ffff:ffff:ffff 1fff:ffff::1
        2001:: 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:2:: 2001:10:: 2001:1f:ffff::
        2001:20:: 2001:2f:ffff:: 2001:1ff:ffff:: 2001:db8:: 2001:db8:ffff::1
        2002:: 2002:7f00:1:: 2002:808:808::1 2002:ffff:ffff:: 3fff:: 3fff:fff:ffff:: 4000::
        5f00:: 5f00:ffff:: fc00:: fd00:ec2::254 fd00:ec2::23 fdff::1 fe80:: fe80::1 febf::1
        fec0:: feff::1 ff00:: ff02::1 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff
    ";

    /// The neighbors of those blocks, and a few well-known public addresses.
    const ALLOWED: &str = "
        1.0.0.0 1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255
        128.0.0.0 168.63.129.15 168.63.129.17 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0
        192.0.1.0 192.0.3.0 192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0
        198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0
        223.255.255.255
        2000::1 2001:200:: 2001:4860:4860::8888 2001:db7:ffff:: 2001:db9:: 2003::
        2606:4700:4700::1111 2a00:1450:4001::1 3ffe:ffff:: 3fff:1000:: ::ffff:8.8.8.8
        64:ff9b::8.8.8.8
    ";

    #[test]
    fn fetch_refuses_every_address_in_the_table() {
        for text in REFUSED.split_whitespace() {
            assert!(!is_public(text.parse().unwrap()), "{text} must be refused");
        }
    }

    #[test]
    fn fetch_allows_addresses_next_to_a_refused_range() {
        for text in ALLOWED.split_whitespace() {
            assert!(is_public(text.parse().unwrap()), "{text} must be allowed");
        }
    }

    proptest! {
        // The standard library's own classification is the second opinion.
        #[test]
        fn fetch_refuses_special_addresses_of_the_standard_library(bits in any::<u32>()) {
            let ip = Ipv4Addr::from_bits(bits);
            let special = ip.is_private() || ip.is_loopback() || ip.is_link_local() || ip.is_multicast()
                || ip.is_broadcast() || ip.is_documentation() || ip.is_unspecified() || ip.octets()[0] >= 240;
            prop_assert!(!(special && is_public(ip.into())), "{ip} is special");
        }

        #[test]
        fn fetch_checks_ipv4_addresses_inside_ipv6_addresses(bits in any::<u32>()) {
            let plain = Ipv4Addr::from_bits(bits);
            let nat64 = Ipv6Addr::from_bits((0x0064_ff9b_u128 << 96) | u128::from(bits));
            prop_assert_eq!(is_public(plain.to_ipv6_mapped().into()), is_public(plain.into()));
            prop_assert_eq!(is_public(nat64.into()), is_public(plain.into()));
            let six_to_four = Ipv6Addr::from_bits((0x2002_u128 << 112) | (u128::from(bits) << 80));
            let teredo = Ipv6Addr::from_bits((0x2001_0000_u128 << 96) | u128::from(!bits));
            prop_assert!(!is_public(six_to_four.into()) && !is_public(teredo.into()));
        }

        #[test]
        fn fetch_refuses_ipv6_addresses_outside_global_unicast(bits in any::<u128>()) {
            let ip = Ipv6Addr::from_bits(bits);
            prop_assume!(ip.segments()[0] & 0xe000 != 0x2000 && ip.segments()[0] != 0x64 && ip.to_ipv4_mapped().is_none());
            prop_assert!(!is_public(ip.into()), "{ip}");
        }
    }
}
