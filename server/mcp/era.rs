//! The two eras of the protocol: with sessions up to 2025-11-25, without them from 2026-07-28 on.

use rmcp::model::ProtocolVersion;
use rmcp::service::{RequestContext, RoleServer};

/// Returns whether a request follows the rules of 2026-07-28 or later.
pub(super) fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    // Versions are dates: they compare as texts.
    let first = ProtocolVersion::V_2026_07_28;
    context.protocol_version().is_some_and(|version| version.as_str() >= first.as_str())
}
