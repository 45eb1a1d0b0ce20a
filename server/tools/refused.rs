//! A refused change as a fault: the patch engine's refusal, with the read that shows what stands in the file.

use serde_json::json;

use crate::patch::Refusal;
use crate::protocol::{Code, Fault};

/// The fault of a refusal. Its details hold the whole refusal.
pub(super) fn refused(refusal: Refusal) -> Fault {
    let next = refusal.read.map(|lines| {
        json!({
            "tool": "fs.read",
            "arguments": {
                "path": refusal.path,
                "range": lines,
                "why": "See the text as it stands now, to make the diff again from it",
            },
        })
    });
    let mut details = serde_json::to_value(&refusal).unwrap_or_default();
    if let (Some(fields), Some(next)) = (details.as_object_mut(), &next) {
        fields.shift_remove("read");
        fields.insert("next_action".to_owned(), next.clone());
    }
    let hints = refusal.hints();
    let fault = Fault::new(Code::PatchMismatch, refusal.message).suggest(refusal.suggestion).hint(hints);
    let fault = fault.detail(details);
    match next {
        Some(next) => fault.next(next),
        None => fault,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::refused;
    use crate::patch::apply;
    use crate::protocol::Code;

    #[test]
    fn a_refusal_is_a_fault_with_a_way_out() {
        let diff = "@@ -1,3 +1,3 @@\n one\n-two\n+2\n tres\n";
        let refusal = apply("dir/n.txt", Some("one\ntwo\nthree\nfour\nfive\n"), diff).unwrap_err();
        let fault = refused(refusal);
        assert_eq!((fault.code, fault.recoverable), (Code::PatchMismatch, true));
        let next = json!({
            "tool": "fs.read",
            "arguments": {
                "path": "dir/n.txt",
                "range": { "start": 1, "end": 5 },
                "why": "See the text as it stands now, to make the diff again from it",
            },
        });
        assert_eq!(fault.next_action.as_ref(), Some(&next));
        let details = fault.details.unwrap();
        let shown = ["code", "hunk", "sought_at", "next_action", "read"].map(|key| details.get(key).cloned());
        assert_eq!(shown, [Some("STALE".into()), Some(1.into()), Some(1.into()), Some(next), None]);
        assert_eq!(details["difference"], json!({ "line": 3, "expected": "tres", "actual": "three" }));
    }
}
