//! Serving over HTTP: the folder's server opens the address, this process only keeps it open.

use std::io::{BufRead, BufReader, Write};

use serde_json::Value;

use super::error::ServeError;
use super::reach::Reach;
use crate::socket::{Greeting, Speaks};

/// What may set the bearer token.
const TOKEN: &str = "WHEREFORE_MCP_TOKEN";

/// Opens the address until this process is interrupted. Where the server ends before, as an editor's does with its
/// editor, the next one opens the same address for the same token.
///
/// # Errors
/// INVALID_ARGS for an address or a token that will not do; what keeps a server from starting.
pub(super) fn serve(reach: &Reach, address: &str) -> Result<(), ServeError> {
    let bearer = std::env::var(TOKEN).ok().filter(|token| !token.is_empty());
    let mut greeting = Greeting {
        speaks: Some(Speaks::Http),
        address: Some(address.to_owned()),
        bearer,
        ..Greeting::default()
    };
    let mut told = false;
    loop {
        let mut lines = BufReader::new(reach.connect(&greeting)?);
        let mut line = String::new();
        lines.read_line(&mut line).map_err(ServeError::Answer)?;
        let answer: Value = serde_json::from_str(&line).unwrap_or_default();
        if let Some(error) = answer.get("error") {
            return Err(ServeError::said("", error));
        }
        let (Some(url), Some(token)) = (answer["url"].as_str(), answer["token"].as_str()) else {
            return Err(ServeError::NoAddress);
        };
        if !told {
            told = true;
            // Nobody may read it, and the address serves all the same.
            let _ = std::io::stdout().write_all(line.as_bytes()).and_then(|()| std::io::stdout().flush());
        }
        greeting.address =
            url.strip_prefix("http://").and_then(|rest| rest.split('/').next()).map(str::to_owned);
        greeting.bearer = Some(token.to_owned());
        // It says nothing more: this waits for its end.
        let mut rest = String::new();
        let _ = lines.read_line(&mut rest);
    }
}
