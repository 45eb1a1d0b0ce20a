//! A key that a command of the person's prints, as keyrings' own programs do.

use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

use crate::server::ServerKey;
use crate::{ModelError, ModelErrorKind};

/// The longest time that the command may take: a keyring may ask the person to unlock it.
const TIME: Duration = Duration::from_secs(60);
/// Bytes of a key.
const LONGEST: usize = 8192;

/// The advice on a command that gives no key.
const ADVICE: &str = "run the command by hand; `key_command` under [model] is a list of words, as \
                      [\"secret-tool\", \"lookup\", \"service\", \"openai\"]";

/// Returns the key that a command prints. Neither it nor the command's messages are in an error.
pub(crate) async fn run_key_command(command: &[String]) -> Result<ServerKey, ModelError> {
    let Some((program, arguments)) = command.split_first() else { return Ok(ServerKey::new("")) };
    let failed = |what: String| {
        let message = format!("`{program}` of `key_command` {what}");
        ModelError::new(ModelErrorKind::Settings, message, ADVICE)
    };
    let run = Command::new(program).args(arguments).stdin(Stdio::null()).kill_on_drop(true).output();
    let output = match tokio::time::timeout(TIME, run).await {
        Ok(Ok(output)) => output,
        Ok(Err(error)) => return Err(failed(format!("cannot be started: {error}"))),
        Err(_) => return Err(failed(format!("printed no key within {} s", TIME.as_secs()))),
    };
    if !output.status.success() {
        return Err(failed(format!("failed: {}", output.status)));
    }
    let text = String::from_utf8(output.stdout).unwrap_or_default();
    let key = text.lines().next().unwrap_or_default().trim();
    if key.is_empty() || key.len() > LONGEST {
        return Err(failed("printed no key".to_owned()));
    }
    Ok(ServerKey::new(key))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::open_model;
    use crate::protocol::ModelSettings;
    use crate::tests::scripted::{Played, Scripted};
    use crate::{ModelMessage, ModelRequest};

    /// Returns the key that a server gets, and the error.
    async fn sent(command: &[&str]) -> (String, String) {
        let event =
            json!({ "choices": [{ "index": 0, "delta": { "content": "x" }, "finish_reason": "stop" }] });
        let server = Scripted::start(move |_, _| Played::events([event.to_string(), "[DONE]".to_owned()]));
        let settings = ModelSettings {
            name: format!("{}/v1#m", server.url),
            key_env: Some("WHEREFORE_TEST_ABSENT_KEY".to_owned()),
            key_command: command.iter().map(|word| (*word).to_owned()).collect(),
            ..ModelSettings::default()
        };
        let model = match open_model(Some(&settings), None).await {
            Ok(model) => model,
            Err(error) => return (String::new(), format!("{error:?}")),
        };
        let messages = vec![ModelMessage::User { text: "x".to_owned() }];
        model.reply(&ModelRequest { messages, ..ModelRequest::default() }, &mut |_| {}).await.unwrap();
        let seen = server.seen();
        (seen.last().unwrap().header("authorization").to_owned(), String::new())
    }

    #[tokio::test]
    async fn the_key_that_a_command_prints_is_sent_and_what_fails_shows_none() {
        assert_eq!(sent(&["printf", "k-12\\nmore"]).await.0, "Bearer k-12");
        for (command, word) in [
            (vec!["sh", "-c", "echo k-12; exit 3"], "failed"),
            (vec!["true"], "no key"),
            (vec!["/absent/program"], "cannot be started"),
        ] {
            let (key, error) = sent(&command).await;
            assert!(key.is_empty() && error.contains(word) && !error.contains("k-12"), "{error}");
        }
    }
}
