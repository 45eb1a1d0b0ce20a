//! fs.write: the whole text of a file.

use futures::future::BoxFuture;
use serde_json::{Map, Value};

use super::{change, off_thread, text};
use crate::protocol::{Effects, Fault};
use crate::registry::{Activity, Output, Permitted};
use crate::session::Scope;

/// Writes a whole file.
pub struct Write;

impl Activity for Write {
    fn effects(&self, args: &Map<String, Value>) -> Effects {
        Effects::write(text(args, "path"))
    }

    fn run<'a>(&'a self, call: &'a Permitted, scope: &'a Scope) -> BoxFuture<'a, Result<Output, Fault>> {
        let args = call.call().args().clone();
        Box::pin(off_thread(scope, move |scope| {
            let (path, before) = change::target(scope, &args)?;
            let after = change::like(before.as_ref(), text(&args, "content")).into_owned();
            change::draft(path, before, after, Vec::new()).map(Output::Change)
        }))
    }
}
