//! Handles the requests and the notices of a server.

use std::sync::{Arc, OnceLock};

use rmcp::RoleClient;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ClientResult, CustomResult, ElicitRequestParams, ErrorCode, ErrorData,
    Implementation, RequestId, ServerNotification, ServerRequest,
};
use rmcp::service::{InboundStreamOrigin, NotificationContext, RequestContext, Service};
use serde_json::{Value, json};

use super::flights::CallsInFlight;
use crate::base::hidden::escape_hidden;
use crate::ports::Ask;
use crate::protocol::Code;

/// The function that is called when a server announces other tools.
pub(super) type Relist = Arc<dyn Fn() + Send + Sync>;

/// The client handler of one connection.
pub(super) struct ServerHandler {
    /// The server, as the person calls it.
    pub server: String,
    /// The workspace, as a URI.
    pub root: String,
    /// The calls that its messages belong to.
    pub flights: Arc<CallsInFlight>,
    /// Set once its tools were listed first.
    pub relist: Arc<OnceLock<Relist>>,
}

impl ServerHandler {
    /// Asks the caller of the call that the request belongs to.
    async fn ask_caller(&self, ask: Ask, request: Option<&RequestId>) -> Result<Value, ErrorData> {
        let refused = |why: &str| ErrorData::new(ErrorCode::INVALID_REQUEST, why.to_owned(), None);
        let asks = self.flights.count_question(request);
        let (call, scope, number) =
            asks.ok_or_else(|| refused("no single call is in flight whose caller could be asked"))?;
        let caller = scope.caller().ok_or_else(|| refused("this caller cannot be asked"))?;
        // A repeated call with the answers finds them under the same keys.
        let key = format!("ask-{number}");
        match caller.ask(vec![(key.clone(), ask)]).await {
            Ok(mut answers) => answers.shift_remove(&key).ok_or_else(|| refused("the caller gave no answer")),
            Err(fault) => {
                let error = refused(&fault.message);
                if fault.code == Code::Cancelled {
                    self.flights.stop_call(call, fault);
                }
                Err(error)
            }
        }
    }

    fn roots_answer(&self) -> Value {
        let name = self.root.rsplit('/').next().unwrap_or_default();
        json!({ "roots": [{ "uri": self.root, "name": name }] })
    }
}

/// Returns the question for the caller; nothing where it cannot be asked.
pub(super) fn caller_question(server: &str, params: &ElicitRequestParams) -> Option<Ask> {
    match params {
        ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => Some(Ask::Form {
            message: format!("{server}: {}", escape_hidden(message)),
            schema: serde_json::to_value(requested_schema).ok()?,
        }),
        // A link from a server is not opened on its word.
        _ => None,
    }
}

impl Service<RoleClient> for ServerHandler {
    async fn handle_request(
        &self,
        request: ServerRequest,
        context: RequestContext<RoleClient>,
    ) -> Result<ClientResult, ErrorData> {
        let origin = context.extensions.get::<InboundStreamOrigin>();
        let id = match origin {
            Some(InboundStreamOrigin::OutboundRequest(id)) => Some(id),
            _ => None,
        };
        let answer = match request {
            ServerRequest::PingRequest(_) => return Ok(ClientResult::empty(())),
            ServerRequest::ListRootsRequest(_) => self.roots_answer(),
            ServerRequest::ElicitRequest(request) => match caller_question(&self.server, &request.params) {
                Some(ask) => self.ask_caller(ask, id).await?,
                None => json!({ "action": "decline" }),
            },
            ServerRequest::CreateMessageRequest(request) => {
                let params = serde_json::to_value(&request.params).unwrap_or_default();
                self.ask_caller(Ask::Sample(params), id).await?
            }
            other => {
                let method = serde_json::to_value(&other).unwrap_or_default();
                let method = method.get("method").and_then(Value::as_str).unwrap_or_default().to_owned();
                return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None));
            }
        };
        Ok(ClientResult::CustomResult(CustomResult::new(answer)))
    }

    async fn handle_notification(
        &self,
        notification: ServerNotification,
        _: NotificationContext<RoleClient>,
    ) -> Result<(), ErrorData> {
        if let (ServerNotification::ToolListChangedNotification(_), Some(relist)) =
            (&notification, self.relist.get())
        {
            relist();
        }
        Ok(())
    }

    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.roots = Some(Default::default());
        capabilities.sampling = Some(Default::default());
        capabilities.elicitation = Some(Default::default());
        let own = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        ClientConfig::new(capabilities, own)
    }
}
