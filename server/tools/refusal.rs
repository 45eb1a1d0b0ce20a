//! The fault of a refused change: the patch engine's refusal, with the read that shows the file's text.

use serde_json::json;

use crate::patch::PatchRefusal;
use crate::protocol::{Code, Fault};

/// The fault of a refusal. Its details hold the whole refusal.
pub(super) fn refusal_fault(refusal: PatchRefusal) -> Fault {
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
    let hints = refusal.to_hints();
    let fault = Fault::new(Code::PatchMismatch, refusal.message)
        .with_suggestion(refusal.suggestion)
        .with_hints(hints);
    let fault = fault.with_details(details);
    match next {
        Some(next) => fault.with_next_action(next),
        None => fault,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::refusal_fault;
    use crate::patch::apply_diff;
    use crate::protocol::Code;

    #[test]
    fn a_refusal_is_a_fault_with_a_way_out() {
        let diff = "@@ -1,3 +1,3 @@\n one\n-two\n+2\n tres\n";
        let refusal = apply_diff("dir/n.txt", Some("one\ntwo\nthree\nfour\nfive\n"), diff).unwrap_err();
        let fault = refusal_fault(refusal);
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
