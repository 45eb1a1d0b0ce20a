//! The language-server door, and our own transport under it.
//!
//! # Invariants
//!
//! - No message of a client ends the server but `exit`.
//!   Test: `a_hundred_thousand_mutated_messages`

pub(crate) mod backend;
mod calls;
pub(crate) mod codec;
pub(crate) mod content;
pub(crate) mod ext;
pub(crate) mod features;
pub(crate) mod guard;
mod hunks;
mod initialize;
mod label;
mod lines;
pub(crate) mod message;
pub(crate) mod outbox;
pub(crate) mod outgoing;
pub(crate) mod parent;
mod requests;
pub(crate) mod stdio;
mod sync;
pub(crate) mod transport;

use std::future::Future;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};

use crate::hub::{DocumentEvent, Hub};
use crate::ports::Editor;
pub(crate) use transport::{EndReason, TransportEnd};

/// The connection to a client.
#[derive(Debug)]
pub(crate) struct ClientConnection<R, W, O> {
    /// The client's messages.
    pub input: R,
    /// The messages to the client.
    pub output: W,
    /// The client's process id, set when `initialize` names it.
    pub parent: parent::ClientProcess,
    /// Resolves when that process is gone.
    pub client_gone: O,
}

/// Serves one client until it leaves: an editor of the hub's. `ends_hub` is true if the hub then has no other client.
pub(crate) async fn serve_client<R, W, O>(
    hub: &Hub,
    ends_hub: bool,
    connection: ClientConnection<R, W, O>,
) -> TransportEnd
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin + Send + 'static,
    O: Future<Output = ()>,
{
    let ClientConnection { input, output, parent, client_gone: orphaned } = connection;
    let documents = hub.editor_documents();
    let (service, socket, outbox) = backend::build_service(hub.clone(), documents.clone(), ends_hub, parent);
    let editor: Arc<dyn Editor> = outbox.clone();
    hub.attach_editor(editor.clone());
    let end = transport::serve_transport(input, output, service, socket, orphaned).await;
    outbox.end_telling();
    // The documents that it had open now have the text of the disk.
    for uri in documents.uris() {
        hub.apply_document_event(documents.editor_id(), DocumentEvent::Closed { uri });
    }
    hub.detach_editor(&editor);
    end
}
