//! The language-server door, and our own transport under it.

pub(crate) mod backend;
mod calls;
pub(crate) mod codec;
mod commands;
mod completion;
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
mod review;
pub(crate) mod stdio;
mod sync;
pub(crate) mod transport;

use std::future::Future;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};

use crate::hub::{DocumentEvent, Hub};
use crate::ports::Editor;
pub(crate) use transport::{End, Reason};

/// The connection to a client.
#[derive(Debug)]
pub(crate) struct ClientConnection<R, W, O> {
    /// What it sends.
    pub input: R,
    /// What it is sent.
    pub output: W,
    /// Is told which process it is.
    pub parent: parent::Client,
    /// Resolves when that process is gone.
    pub orphaned: O,
}

/// Serves one client until it leaves: an editor of the hub's. `ends_hub` says that nobody else is served by the hub
/// afterwards.
pub(crate) async fn serve<R, W, O>(hub: &Hub, ends_hub: bool, connection: ClientConnection<R, W, O>) -> End
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin + Send + 'static,
    O: Future<Output = ()>,
{
    let ClientConnection { input, output, parent, orphaned } = connection;
    let documents = hub.editor_documents();
    let (service, socket, outbox) = backend::service(hub.clone(), documents.clone(), ends_hub, parent);
    let editor: Arc<dyn Editor> = outbox.clone();
    hub.attach(editor.clone());
    let end = transport::serve(input, output, service, socket, orphaned).await;
    outbox.end();
    // What it had open is what the disk holds.
    for uri in documents.uris() {
        hub.document(documents.editor(), DocumentEvent::Closed { uri });
    }
    hub.detach(&editor);
    end
}
