//! Serving over HTTP: the folder's server opens the address, this process only keeps the connection that holds it open.

use std::io::{BufRead, BufReader, Write};

use serde_json::Value;

use super::error::ServeError;
use super::reach::ServerConnector;
use crate::socket::{ClientGreeting, SpokenProtocol};

/// The environment variable of the bearer token.
const TOKEN: &str = "WHEREFORE_MCP_TOKEN";

/// Opens the address until this process is interrupted. Where the server ends before, as an editor's does with its
/// editor, the next one opens the same address for the same token.
///
/// # Errors
/// INVALID_ARGS for an invalid address or token; the reason why no server can be started.
pub(super) fn keep_address_open(reach: &ServerConnector, address: &str) -> Result<(), ServeError> {
    let bearer = std::env::var(TOKEN).ok().filter(|token| !token.is_empty());
    let mut greeting = ClientGreeting {
        speaks: Some(SpokenProtocol::Http),
        address: Some(address.to_owned()),
        bearer,
        ..ClientGreeting::default()
    };
    let mut told = false;
    loop {
        let mut lines = BufReader::new(reach.connect(&greeting)?);
        let mut line = String::new();
        lines.read_line(&mut line).map_err(ServeError::Answer)?;
        let answer: Value = serde_json::from_str(&line).unwrap_or_default();
        if let Some(error) = answer.get("error") {
            return Err(ServeError::from_answer("", error));
        }
        let (Some(url), Some(token)) = (answer["url"].as_str(), answer["token"].as_str()) else {
            return Err(ServeError::NoAddress);
        };
        if !told {
            told = true;
            // The address is served even if the output is not read.
            let _ = std::io::stdout().write_all(line.as_bytes()).and_then(|()| std::io::stdout().flush());
        }
        greeting.address =
            url.strip_prefix("http://").and_then(|rest| rest.split('/').next()).map(str::to_owned);
        greeting.bearer = Some(token.to_owned());
        // The server sends nothing more: this read waits for its end.
        let mut rest = String::new();
        let _ = lines.read_line(&mut rest);
    }
}
