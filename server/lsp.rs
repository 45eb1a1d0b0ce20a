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

/// Serves one client until it leaves: an editor of the hub's. `orphaned` resolves when its process,
/// which `parent` is told of, is gone; `ends_hub` says that nobody else is served by the hub afterwards.
pub(crate) async fn serve<R, W>(
    hub: &Hub,
    ends_hub: bool,
    input: R,
    output: W,
    parent: parent::Client,
    orphaned: impl Future<Output = ()>,
) -> End
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin + Send + 'static,
{
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
