//! Our own folder in the workspace.

use std::os::unix::fs::PermissionsExt;

use super::{Lab, code};
use crate::protocol::Code;

#[test]
fn it_is_made_on_the_first_use_and_private() {
    for lab in Lab::both() {
        assert_eq!(lab.store.read_file("a").unwrap(), None);
        assert!(!lab.at.join(".wherefore").exists());
        lab.store.open_dir("sessions/1").unwrap();
        let mode = |name: &str| std::fs::metadata(lab.at.join(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!([mode(".wherefore"), mode(".wherefore/sessions/1")], [0o700; 2]);
        assert_eq!(lab.get(".wherefore/.gitignore"), crate::workspace::OWN_IGNORE.as_bytes());
    }
}

#[test]
fn files_are_written_whole_listed_and_removed() {
    for lab in Lab::both() {
        let store = &lab.store;
        store.write_file("upstream/2.json", b"two").unwrap();
        store.write_file("upstream/1.json", b"one").unwrap();
        store.write_file("upstream/1.json", b"one again").unwrap();
        store.write_file("top", b"top").unwrap();
        assert_eq!(store.list_dir("upstream").unwrap(), ["1.json", "2.json"]);
        assert_eq!(store.read_file("upstream/1.json").unwrap().unwrap(), b"one again");
        assert_eq!(code(store.read_up_to("upstream/1.json", 8)), Code::Unsupported);
        assert_eq!(code(store.read_file("upstream")), Code::InvalidArgs);
        assert!(store.remove_file("upstream/1.json").unwrap());
        assert!(!store.remove_file("upstream/1.json").unwrap());
        assert!(!store.remove_file("none/1.json").unwrap());
        assert_eq!(store.list_dir("none").unwrap(), Vec::<String>::new());
        for climbing in ["../x", "a/../../x"] {
            assert_eq!(code(store.write_file(climbing, b"")), Code::Internal);
            assert_eq!(code(store.read_file(climbing)), Code::Internal);
        }
        assert_eq!(lab.names(), [".wherefore/top", ".wherefore/upstream", ".wherefore/upstream/2.json"]);
    }
}

#[test]
fn a_planted_link_is_refused() {
    for lab in Lab::both() {
        lab.link(".wherefore", "../outside");
        assert_eq!(code(lab.store.write_file("x", b"x")), Code::PermissionDenied);
        assert_eq!(code(lab.store.open_dir(".")), Code::PermissionDenied);
        std::fs::remove_file(lab.at.join(".wherefore")).unwrap();
        lab.link(".wherefore/sessions", "../../outside");
        lab.link(".wherefore/hot.yml", "../../outside/secret");
        assert_eq!(code(lab.store.open_dir("sessions/1")), Code::PermissionDenied);
        assert_eq!(code(lab.store.read_file("hot.yml")), Code::PermissionDenied);
        lab.store.write_file("hot.yml", b"x").unwrap();
        let outside: Vec<_> =
            std::fs::read_dir(&lab.outside).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(outside, ["secret"]);
        assert_eq!(std::fs::read(lab.outside.join("secret")).unwrap(), b"secret");
    }
}

#[test]
fn state_that_lies_in_the_workspace_is_said_and_not_read() {
    let lab = Lab::new();
    assert_eq!(lab.store.former_state_warning(), None);
    lab.put(".wherefore/proposals/p-1.json", "{}");
    lab.link(".wherefore/lock", "../../outside/secret");
    let said = lab.store.former_state_warning().unwrap();
    assert!(said.starts_with(".wherefore/proposals, .wherefore/lock is not read: "), "{said}");
    assert_eq!(lab.files.state().list_folder("proposals").unwrap(), Vec::<String>::new());
    assert_eq!(lab.get(".wherefore/proposals/p-1.json"), b"{}");
}
