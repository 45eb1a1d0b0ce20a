//! Which addresses are of the public internet. An address that no table calls public is refused.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What an address is for, where it is not of the public internet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reserved {
    /// This machine.
    Loopback,
    /// A network of its own: a home's, a company's.
    Private,
    /// The network behind a provider's address translation.
    Shared,
    /// The machine's own link, where clouds answer with credentials.
    LinkLocal,
    /// A cloud's service for its own machines.
    Metadata,
    /// "This network", or no address at all.
    Unspecified,
    /// Several machines at once.
    Multicast,
    /// Every machine of a network.
    Broadcast,
    /// Examples in documents.
    Documentation,
    /// Benchmarks of networks.
    Benchmarking,
    /// An IPv4 address in IPv6 clothes, or a tunnel to one.
    Wrapped(Wrapper, Ipv4Addr),
    /// Kept by IANA for protocols or for later.
    Unassigned,
}

/// How an IPv6 address holds an IPv4 address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wrapper {
    /// `::ffff:0:0/96`.
    Mapped,
    /// `::/96`.
    Compatible,
    /// `::ffff:0:0:0/96`.
    Translated,
    /// `64:ff9b::/96` and `64:ff9b:1::/48`.
    Nat64,
    /// `2002::/16`.
    SixToFour,
    /// `2001::/32`.
    Teredo,
}

impl Reserved {
    /// Whether a person may open such an address to a host that they name: a server of their own machine or network.
    pub(crate) fn is_grantable(self) -> bool {
        matches!(self, Self::Loopback | Self::Private | Self::Shared)
    }
}

/// What an address is kept for; nothing where it is of the public internet.
pub fn reserved(address: IpAddr) -> Option<Reserved> {
    match address {
        IpAddr::V4(address) => reserved_v4(address),
        IpAddr::V6(address) => reserved_v6(address),
    }
}

/// IANA's registry of special-purpose IPv4 addresses, and the clouds' addresses among the public ones.
const V4: &[([u8; 4], u8, Reserved)] = &[
    ([0, 0, 0, 0], 8, Reserved::Unspecified),
    ([10, 0, 0, 0], 8, Reserved::Private),
    // Alibaba's metadata, within the shared network.
    ([100, 100, 100, 200], 32, Reserved::Metadata),
    ([100, 64, 0, 0], 10, Reserved::Shared),
    ([127, 0, 0, 0], 8, Reserved::Loopback),
    // Azure's own services, at a public address.
    ([168, 63, 129, 16], 32, Reserved::Metadata),
    ([169, 254, 0, 0], 16, Reserved::LinkLocal),
    ([172, 16, 0, 0], 12, Reserved::Private),
    // Oracle's metadata, within the protocols' network.
    ([192, 0, 0, 192], 32, Reserved::Metadata),
    ([192, 0, 0, 0], 24, Reserved::Unassigned),
    ([192, 0, 2, 0], 24, Reserved::Documentation),
    ([192, 88, 99, 0], 24, Reserved::Unassigned),
    ([192, 168, 0, 0], 16, Reserved::Private),
    ([198, 18, 0, 0], 15, Reserved::Benchmarking),
    ([198, 51, 100, 0], 24, Reserved::Documentation),
    ([203, 0, 113, 0], 24, Reserved::Documentation),
    ([224, 0, 0, 0], 4, Reserved::Multicast),
    ([255, 255, 255, 255], 32, Reserved::Broadcast),
    ([240, 0, 0, 0], 4, Reserved::Unassigned),
];

fn reserved_v4(address: Ipv4Addr) -> Option<Reserved> {
    let bits = address.to_bits();
    let holds = |net: [u8; 4], length: u8| (bits ^ u32::from_be_bytes(net)) >> (32 - u32::from(length)) == 0;
    V4.iter().find(|(net, length, _)| holds(*net, *length)).map(|(_, _, kind)| *kind)
}

/// IANA's registry of special-purpose IPv6 addresses, as far as they hold no IPv4 address. The clouds' come first.
const V6: &[(u128, u8, Reserved)] = &[
    (0, 128, Reserved::Unspecified),
    (1, 128, Reserved::Loopback),
    (0xfd00_0ec2 << 96 | 0x254, 128, Reserved::Metadata),
    (0xfd20_00ce << 96 | 0x254, 128, Reserved::Metadata),
    (0xfc00 << 112, 7, Reserved::Private),
    (0xfec0 << 112, 10, Reserved::Private),
    (0xfe80 << 112, 10, Reserved::LinkLocal),
    (0xff00 << 112, 8, Reserved::Multicast),
    (0x2001_0db8 << 96, 32, Reserved::Documentation),
    (0x3fff << 112, 20, Reserved::Documentation),
    (0x2001_0002 << 96, 48, Reserved::Benchmarking),
    (0x2001 << 112, 23, Reserved::Unassigned),
];

fn reserved_v6(address: Ipv6Addr) -> Option<Reserved> {
    let bits = address.to_bits();
    let holds = |net: u128, length: u8| (bits ^ net) >> (128 - u32::from(length)) == 0;
    // The unspecified address and loopback would else count as compatible ones.
    let own = V6.iter().find(|(net, length, _)| holds(*net, *length)).map(|(_, _, kind)| *kind);
    if let Some(kind) = own.filter(|kind| *kind != Reserved::Unassigned) {
        return Some(kind);
    }
    if let Some((wrapper, inner)) = unwrapped(address) {
        return Some(Reserved::Wrapped(wrapper, inner));
    }
    // All that is public stands in 2000::/3.
    own.or((bits >> 125 != 1).then_some(Reserved::Unassigned))
}

/// The IPv4 address in an IPv6 address.
fn unwrapped(address: Ipv6Addr) -> Option<(Wrapper, Ipv4Addr)> {
    let [a, b, c, d, e, f, g, h] = address.segments();
    let pair = |high: u16, low: u16| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low));
    Some(match (a, b, c, d, e, f) {
        (0, 0, 0, 0, 0, 0xffff) => (Wrapper::Mapped, pair(g, h)),
        (0, 0, 0, 0, 0, 0) => (Wrapper::Compatible, pair(g, h)),
        (0, 0, 0, 0, 0xffff, 0) => (Wrapper::Translated, pair(g, h)),
        (0x64, 0xff9b, 0, 0, 0, 0) | (0x64, 0xff9b, 1, ..) => (Wrapper::Nat64, pair(g, h)),
        (0x2002, ..) => (Wrapper::SixToFour, pair(b, c)),
        (0x2001, 0, ..) => (Wrapper::Teredo, pair(!g, !h)),
        _ => return None,
    })
}

impl fmt::Display for Reserved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Loopback => "an address of this machine",
            Self::Private => "an address of a private network",
            Self::Shared => "an address of a provider's own network",
            Self::LinkLocal => "a link-local address, where clouds keep credentials",
            Self::Metadata => "the address of a cloud's own service",
            Self::Unspecified => "no address of one machine",
            Self::Multicast => "a multicast address",
            Self::Broadcast => "a broadcast address",
            Self::Documentation => "an address for examples",
            Self::Benchmarking => "an address for benchmarks",
            Self::Unassigned => "a reserved address",
            Self::Wrapped(wrapper, inner) => {
                write!(f, "{wrapper} of {inner}")?;
                return match reserved_v4(*inner) {
                    Some(kind) => write!(f, ", {kind}"),
                    None => Ok(()),
                };
            }
        })
    }
}

impl fmt::Display for Wrapper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Mapped => "the IPv4-mapped address",
            Self::Compatible => "the IPv4-compatible address",
            Self::Translated => "the IPv4-translated address",
            Self::Nat64 => "the NAT64 address",
            Self::SixToFour => "a 6to4 address",
            Self::Teredo => "a Teredo address",
        })
    }
}
