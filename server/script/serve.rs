//! The routine of a confined process: a request on the standard input, lines on the standard output.

use std::io::{self, Read, Write};
use std::rc::Rc;

use crate::engine::{self, Emit};
use crate::request::ScriptRequest;

/// Runs the script that the standard input describes, and answers with the exit code of the process. Messages of the
/// console also go to the standard error as they are, for a person who watches.
#[must_use]
pub fn serve_script() -> i32 {
    let mut text = Vec::new();
    let request =
        io::stdin().read_to_end(&mut text).and_then(|_| Ok(serde_json::from_slice::<ScriptRequest>(&text)?));
    match request {
        Ok(request) => {
            engine::run_script(&request, report_emitter());
            0
        }
        Err(error) => {
            let _ = writeln!(io::stderr(), "no request: {error}");
            1
        }
    }
}

/// There is no way to report a line that cannot be written.
fn report_emitter() -> Emit {
    Rc::new(|line, shown| {
        let _ = writeln!(io::stdout(), "{line}");
        if let Some(shown) = shown {
            let _ = writeln!(io::stderr(), "{shown}");
        }
    })
}
