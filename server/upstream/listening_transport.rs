//! A transport whose notices are taken in as they come: handed to tasks, one could overtake the other.

use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::model::{JsonRpcMessage, ServerJsonRpcMessage, ServerNotification};
use rmcp::service::TxJsonRpcMessage;
use rmcp::transport::Transport;
use serde::Serialize;
use serde_json::Value;

use super::flights::CallsInFlight;
use super::remote::cut_text;
use crate::base::hidden::escape_hidden;

/// Bytes of a notice for a caller's log.
const NOTICE: usize = 16 << 10;

/// A transport with an ear to it.
pub(super) struct ListeningTransport<T> {
    /// The transport that carries the messages.
    pub transport: T,
    /// The server, as the person calls it.
    pub server: String,
    /// The calls that its messages belong to.
    pub flights: Arc<CallsInFlight>,
}

impl<T> ListeningTransport<T> {
    /// Read as JSON: the protocol means to drop the type, and servers go on sending it.
    fn log_notice(&self, notice: impl Serialize) {
        let notice = serde_json::to_value(notice).unwrap_or_default();
        let level = notice.get("level").and_then(Value::as_str).unwrap_or("info");
        let mut data = notice.get("data").cloned().unwrap_or_default();
        let text = data.to_string();
        if text.len() > NOTICE {
            data = Value::String(cut_text(&text, NOTICE));
        }
        match self.flights.scope_of(None).and_then(|scope| scope.caller().cloned()) {
            Some(caller) => caller.log(level, data),
            None => tracing::info!(server = self.server, level, "{}", escape_hidden(&text)),
        }
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for ListeningTransport<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.transport.send(item)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let message = self.transport.receive().await?;
            let JsonRpcMessage::Notification(notice) = &message else { return Some(message) };
            match &notice.notification {
                ServerNotification::ProgressNotification(progress) => {
                    self.flights.pass_progress(progress.params.clone());
                }
                ServerNotification::LoggingMessageNotification(notice) => self.log_notice(&notice.params),
                _ => return Some(message),
            }
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.transport.close()
    }
}
