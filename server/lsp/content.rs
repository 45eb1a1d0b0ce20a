//! `workspace/textDocumentContent`, which is newer than the language service's types: announced on both sides
//! around it.

use std::task::{Context, Poll};

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Request, Response};
use tower_service::Service;

use super::features::CONTENT;

/// The scheme of the documents that the server holds.
pub(crate) const SCHEME: &str = "wherefore";

/// A language service with the capability added to `initialize`, both ways.
#[derive(Debug)]
pub(crate) struct WithContent<S>(
    /// The service.
    pub S,
);

impl<S> Service<Request> for WithContent<S>
where
    S: Service<Request, Response = Option<Response>>,
    S::Future: Send + 'static,
    S::Error: 'static,
{
    type Response = Option<Response>;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<Self::Response, Self::Error>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.0.poll_ready(cx)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        if request.method() != "initialize" {
            return self.0.call(request).boxed();
        }
        let (method, id, params) = request.into_parts();
        let mut params = params.unwrap_or_default();
        let wanted = announce_content(&mut params);
        let mut request = Request::build(method).params(params);
        if let Some(id) = id {
            request = request.id(id);
        }
        let running = self.0.call(request.finish());
        async move {
            let response = running.await?;
            Ok(if wanted { response.map(offer_content) } else { response })
        }
        .boxed()
    }
}

/// Copies the client's capability to a member that the service's types keep; returns whether there is one.
fn announce_content(params: &mut Value) -> bool {
    let wanted = params.pointer("/capabilities/workspace/textDocumentContent").is_some();
    if let Some(client) = params.get_mut("capabilities").and_then(Value::as_object_mut)
        && wanted
    {
        let experimental = client.entry("experimental").or_insert_with(|| json!({}));
        match experimental {
            Value::Object(experimental) => drop(experimental.insert(CONTENT.to_owned(), Value::Bool(true))),
            other => *other = json!({ CONTENT: true }),
        }
    }
    wanted
}

/// Adds the server's capability.
fn offer_content(response: Response) -> Response {
    let (id, outcome) = response.into_parts();
    let outcome = outcome.map(|mut result| {
        if let Some(server) = result.get_mut("capabilities").and_then(Value::as_object_mut) {
            let workspace = server.entry("workspace").or_insert_with(|| json!({}));
            workspace["textDocumentContent"] = json!({ "schemes": [SCHEME] });
        }
        result
    });
    Response::from_parts(id, outcome)
}
