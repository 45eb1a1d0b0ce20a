//! `[fetch]`: hosts that the tool fetch reaches beyond the public internet.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[fetch]`
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FetchSettings {
    /// Servers of this machine or of a private network, each a host with a port: `"localhost:3000"`, or `".dev.test:80"` for
    /// every host below a domain. The person is asked about them as about any host.
    pub local: Vec<String>,
}
