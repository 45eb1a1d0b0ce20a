//! Two servers of one folder, each with an editor: each says what waits at the other, and decides on nothing of it.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use wherefore::hub::Hub;
use wherefore::protocol::{Act, Door, EditorNotice, HeldProposal};
use wherefore::requests::held_elsewhere::HeldElsewhereParams;
use wherefore::requests::{Asker, HeldElsewhere, Request};

use crate::support::{Bench, Script};

async fn held(hub: &Hub) -> Vec<HeldProposal> {
    let asker = Asker::from_door(Door::Lsp);
    HeldElsewhere::answer_request(hub, HeldElsewhereParams::default(), asker).await.unwrap().proposals
}

/// Waits until the editor was told `count` times that others hold other hunks than before.
async fn told(editor: &Arc<Script>, count: usize) {
    let is_it = |notice: &&EditorNotice| **notice == EditorNotice::HeldElsewhere;
    for _ in 0..600 {
        if editor.told.lock().unwrap().iter().filter(is_it).count() == count {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("not told {count} times: {:?}", editor.told.lock().unwrap());
}

#[tokio::test]
async fn what_waits_at_another_server_is_named_and_told_when_it_changes() {
    let bench = Bench::new(&[("a.txt", "a\nb\nc\nd\ne\nf\ng\nh\n")]);
    let (hub, editor) = bench.second_window();
    assert_eq!(held(&hub).await, []);
    let diff = "@@ -1,2 +1,2 @@\n-a\n+A\n b\n@@ -7,2 +7,2 @@\n g\n-h\n+H\n";
    let (call, proposal) = bench.propose("fs.patch", json!({ "path": "a.txt", "diff": diff })).await;
    told(&editor, 1).await;
    let why = "Keep the fixture's promise for the reader of this test".to_owned();
    let expected = HeldProposal { id: proposal.id.clone(), path: "a.txt".to_owned(), why, hunks: 2 };
    assert_eq!(held(&hub).await, [expected]);
    assert_eq!(held(&bench.hub).await, [], "it is the first one's own");
    assert_eq!(hub.folders()[0].queue().store().list_proposals(&Default::default()), []);
    bench.decide(&proposal.id, &["h1"], Act::Accept, None).await.unwrap();
    told(&editor, 2).await;
    assert_eq!(held(&hub).await.iter().map(|held| held.hunks).collect::<Vec<_>>(), [1]);
    bench.decide(&proposal.id, &[], Act::Reject, None).await.unwrap();
    call.await.unwrap();
    told(&editor, 3).await;
    assert_eq!(held(&hub).await, []);
    let own = bench.editor.told.lock().unwrap().contains(&EditorNotice::HeldElsewhere);
    assert!(!own, "nothing waits at the second one");
    hub.roots().iter().for_each(|root| hub.remove_root(root));
}
