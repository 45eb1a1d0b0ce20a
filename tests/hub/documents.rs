//! Documents that are open while folders come and go.

use serde_json::json;

use crate::support::{Bench, numbers};

#[tokio::test]
async fn a_document_that_was_open_before_its_folder_was_served_is_read_unsaved() {
    let bench = Bench::new(&[("a.txt", &numbers(3, &[])), ("in/b.txt", "saved\n")]);
    let root = bench.hub.roots().remove(0);
    bench.hub.remove_root(&root);
    bench.open("a.txt");
    bench.type_in("a.txt", &numbers(3, &[(1, "unsaved")]));
    bench.open_with("in/b.txt", "brought back\n".to_owned());
    bench.hub.add_root(&root).unwrap();
    for (path, text) in [("a.txt", numbers(3, &[(1, "unsaved")])), ("in/b.txt", "brought back\n".to_owned())]
    {
        let read = bench.call("fs.read", json!({ "path": path }), None).await.result.unwrap();
        assert_eq!((&read["content"], &read["unsaved"]), (&json!(text), &json!(true)));
    }
    let inner = format!("{root}/in");
    bench.hub.add_root(&inner).unwrap();
    let set = bench.hub.folder_at(Some(&inner)).unwrap().session().working_files().working_set();
    assert_eq!((set.files[0].path.as_str(), set.files[0].unsaved), ("b.txt", true));
    bench.hub.remove_root(&inner);
    let read = bench.call("fs.read", json!({ "path": "in/b.txt" }), None).await.result.unwrap();
    assert_eq!(read["unsaved"], true);
}
