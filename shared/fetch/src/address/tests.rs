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
