//! The sealed state that an agent of the later era carries between the rounds of one call: its answers so far.

use std::fmt;
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{RequestStateCodec, SealOptions};
use serde_json::{Map, Value};

use crate::base::hash;
use crate::protocol::Fault;

/// The longest time that an agent may take from one round to the next.
const LASTS: Duration = Duration::from_secs(3600);

/// The key of this process's seals.
pub struct StateSeal(RequestStateCodec);

impl fmt::Debug for StateSeal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seal")
    }
}

impl StateSeal {
    /// A new key.
    ///
    /// # Errors
    /// INTERNAL where the kernel gives no random numbers.
    pub fn new() -> Result<Self, Fault> {
        let key = crate::base::random::random_bytes()?;
        RequestStateCodec::try_new(key).map(Self).map_err(|error| Fault::internal(error.to_string()))
    }

    /// Seals answers for the next round of the same call.
    pub fn seal_answers(
        &self,
        tool: &str,
        arguments: &Value,
        answers: &Map<String, Value>,
    ) -> Option<String> {
        let call = call_identity(tool, arguments);
        self.0.seal_json_with(answers, &SealOptions::new().associated_data(call.as_bytes()).ttl(LASTS)).ok()
    }

    /// The answers of the rounds before.
    ///
    /// # Errors
    /// An invalid-params error where the seal is broken, too old, or another call's.
    pub fn open_answers(
        &self,
        tool: &str,
        arguments: &Value,
        sealed: &str,
    ) -> Result<Map<String, Value>, ErrorData> {
        self.0.open_json_with(sealed, call_identity(tool, arguments).as_bytes()).map_err(|error| {
            ErrorData::invalid_params(
                format!("`requestState` is not what this server gave for this call: {error}"),
                None,
            )
        })
    }
}

fn call_identity(tool: &str, arguments: &Value) -> String {
    hash::full_hash(format!("{tool}\n{arguments}").as_bytes())
}
