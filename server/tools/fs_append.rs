//! fs.append: text at the end of a file.

use futures::future::BoxFuture;
use serde_json::{Map, Value};

use super::{change, off_thread, text};
use crate::protocol::{Effects, Fault};
use crate::registry::{Activity, Output, Permitted};
use crate::session::Scope;

/// Appends to a file, or makes it.
pub struct Append;

impl Activity for Append {
    fn effects(&self, args: &Map<String, Value>) -> Effects {
        Effects::write(text(args, "path"))
    }

    fn run<'a>(&'a self, call: &'a Permitted, scope: &'a Scope) -> BoxFuture<'a, Result<Output, Fault>> {
        let args = call.call().args().clone();
        Box::pin(off_thread(scope, move |scope| {
            let (path, before) = change::target(scope, &args)?;
            let mut after = before.as_ref().map(|before| before.text.clone()).unwrap_or_default();
            after.push_str(&change::like(before.as_ref(), text(&args, "text")));
            change::draft(path, before, after, Vec::new()).map(Output::Change)
        }))
    }
}
