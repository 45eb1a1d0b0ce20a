//! Distinguishes addresses of the public internet from others. An address that no table calls public is refused.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The purpose of an address that is not of the public internet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReservedUse {
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
    Wrapped(EmbeddedForm, Ipv4Addr),
    /// Kept by IANA for protocols or for later.
    Unassigned,
}

/// The ways in which an IPv6 address holds an IPv4 address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EmbeddedForm {
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

impl ReservedUse {
    /// Returns whether a person may open such an address to a host that they name: a server of their own machine or
    /// network.
    pub(crate) fn is_grantable(self) -> bool {
        matches!(self, Self::Loopback | Self::Private | Self::Shared)
    }
}

/// Returns the purpose that an address is reserved for, or `None` if it is of the public internet.
pub fn reserved_use(address: IpAddr) -> Option<ReservedUse> {
    match address {
        IpAddr::V4(address) => reserved_v4(address),
        IpAddr::V6(address) => reserved_v6(address),
    }
}

/// IANA's registry of special-purpose IPv4 addresses, and the clouds' addresses among the public ones.
const V4: &[([u8; 4], u8, ReservedUse)] = &[
    ([0, 0, 0, 0], 8, ReservedUse::Unspecified),
    ([10, 0, 0, 0], 8, ReservedUse::Private),
    // Alibaba's metadata, within the shared network.
    ([100, 100, 100, 200], 32, ReservedUse::Metadata),
    ([100, 64, 0, 0], 10, ReservedUse::Shared),
    ([127, 0, 0, 0], 8, ReservedUse::Loopback),
    // Azure's own services, at a public address.
    ([168, 63, 129, 16], 32, ReservedUse::Metadata),
    ([169, 254, 0, 0], 16, ReservedUse::LinkLocal),
    ([172, 16, 0, 0], 12, ReservedUse::Private),
    // Oracle's metadata, within the protocols' network.
    ([192, 0, 0, 192], 32, ReservedUse::Metadata),
    ([192, 0, 0, 0], 24, ReservedUse::Unassigned),
    ([192, 0, 2, 0], 24, ReservedUse::Documentation),
    ([192, 88, 99, 0], 24, ReservedUse::Unassigned),
    ([192, 168, 0, 0], 16, ReservedUse::Private),
    ([198, 18, 0, 0], 15, ReservedUse::Benchmarking),
    ([198, 51, 100, 0], 24, ReservedUse::Documentation),
    ([203, 0, 113, 0], 24, ReservedUse::Documentation),
    ([224, 0, 0, 0], 4, ReservedUse::Multicast),
    ([255, 255, 255, 255], 32, ReservedUse::Broadcast),
    ([240, 0, 0, 0], 4, ReservedUse::Unassigned),
];

fn reserved_v4(address: Ipv4Addr) -> Option<ReservedUse> {
    let bits = address.to_bits();
    let holds = |net: [u8; 4], length: u8| (bits ^ u32::from_be_bytes(net)) >> (32 - u32::from(length)) == 0;
    V4.iter().find(|(net, length, _)| holds(*net, *length)).map(|(_, _, kind)| *kind)
}

/// IANA's registry of special-purpose IPv6 addresses, without those that hold an IPv4 address. The clouds' come
/// first.
const V6: &[(u128, u8, ReservedUse)] = &[
    (0, 128, ReservedUse::Unspecified),
    (1, 128, ReservedUse::Loopback),
    (0xfd00_0ec2 << 96 | 0x254, 128, ReservedUse::Metadata),
    (0xfd20_00ce << 96 | 0x254, 128, ReservedUse::Metadata),
    (0xfc00 << 112, 7, ReservedUse::Private),
    (0xfec0 << 112, 10, ReservedUse::Private),
    (0xfe80 << 112, 10, ReservedUse::LinkLocal),
    (0xff00 << 112, 8, ReservedUse::Multicast),
    (0x2001_0db8 << 96, 32, ReservedUse::Documentation),
    (0x3fff << 112, 20, ReservedUse::Documentation),
    (0x2001_0002 << 96, 48, ReservedUse::Benchmarking),
    (0x2001 << 112, 23, ReservedUse::Unassigned),
];

fn reserved_v6(address: Ipv6Addr) -> Option<ReservedUse> {
    let bits = address.to_bits();
    let holds = |net: u128, length: u8| (bits ^ net) >> (128 - u32::from(length)) == 0;
    // The unspecified address and loopback would else count as compatible ones.
    let own = V6.iter().find(|(net, length, _)| holds(*net, *length)).map(|(_, _, kind)| *kind);
    if let Some(kind) = own.filter(|kind| *kind != ReservedUse::Unassigned) {
        return Some(kind);
    }
    if let Some((wrapper, inner)) = embedded_ipv4(address) {
        return Some(ReservedUse::Wrapped(wrapper, inner));
    }
    // All public addresses are in 2000::/3.
    own.or((bits >> 125 != 1).then_some(ReservedUse::Unassigned))
}

/// The IPv4 address in an IPv6 address.
fn embedded_ipv4(address: Ipv6Addr) -> Option<(EmbeddedForm, Ipv4Addr)> {
    let [a, b, c, d, e, f, g, h] = address.segments();
    let pair = |high: u16, low: u16| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low));
    Some(match (a, b, c, d, e, f) {
        (0, 0, 0, 0, 0, 0xffff) => (EmbeddedForm::Mapped, pair(g, h)),
        (0, 0, 0, 0, 0, 0) => (EmbeddedForm::Compatible, pair(g, h)),
        (0, 0, 0, 0, 0xffff, 0) => (EmbeddedForm::Translated, pair(g, h)),
        (0x64, 0xff9b, 0, 0, 0, 0) | (0x64, 0xff9b, 1, ..) => (EmbeddedForm::Nat64, pair(g, h)),
        (0x2002, ..) => (EmbeddedForm::SixToFour, pair(b, c)),
        (0x2001, 0, ..) => (EmbeddedForm::Teredo, pair(!g, !h)),
        _ => return None,
    })
}

impl fmt::Display for ReservedUse {
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

impl fmt::Display for EmbeddedForm {
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
