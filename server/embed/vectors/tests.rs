//! The cache: what is kept, and what becomes of a file that is not as it was written.

use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use super::*;

fn records(from: usize, to: usize) -> Vec<Record> {
    let vector = |n: usize| Quantised::of(&[1.0, n as f32, -2.0]).unwrap();
    (from..to).map(|n| (key(&n.to_string()), vector(n))).collect()
}

fn keys(count: usize) -> Vec<Key> {
    (0..count).map(|n| key(&n.to_string())).collect()
}

/// A file with ten vectors, and how many of them are missing when another process reads it.
fn file(folder: &tempfile::TempDir) -> PathBuf {
    Vectors::new("m", Some(folder.path())).add(&records(0, 10)).unwrap();
    let files = std::fs::read_dir(folder.path()).unwrap().flatten().map(|entry| entry.path());
    files.into_iter().find(|path| path.extension().is_some()).unwrap()
}

fn missing(folder: &tempfile::TempDir) -> usize {
    Vectors::new("m", Some(folder.path())).want(&keys(10)).len()
}

#[test]
fn vectors_are_there_for_the_next_process() {
    let folder = tempfile::tempdir().unwrap();
    let vectors = Vectors::new("m", Some(folder.path()));
    assert_eq!(vectors.want(&keys(4)), [0, 1, 2, 3]);
    vectors.add(&records(0, 3)).unwrap();
    assert_eq!(vectors.want(&keys(4)), [3]);

    let next = Vectors::new("m", Some(folder.path()));
    assert_eq!(next.want(&keys(4)), [3]);
    let asked = Quantised::of(&[1.0, 2.0, -2.0]).unwrap().widened();
    let cosines = next.cosines(&asked, &keys(4)).unwrap();
    assert!((cosines[2] - 1.0).abs() < 0.001 && cosines[0] < 0.95 && cosines[3].is_nan(), "{cosines:?}");
    assert_eq!(next.cosines(&Quantised::of(&[1.0]).unwrap().widened(), &keys(4)), None);

    let other = Vectors::new("another model", Some(folder.path()));
    assert_eq!(other.want(&keys(1)), [0]);
    // Two tools with the same text need one vector.
    assert_eq!(other.want(&[key("a"), key("a"), key("b")]), [0, 2]);
    vectors.forget(4);
    assert_eq!(missing(&folder), 7);
    vectors.forget(3);
    assert_eq!(missing(&folder), 10);
}

#[test]
fn without_a_folder_they_last_as_long_as_the_process() {
    let vectors = Vectors::new("m", None);
    vectors.add(&records(0, 3)).unwrap();
    assert_eq!(vectors.want(&keys(4)), [3]);
}

#[test]
fn what_is_damaged_or_cut_off_is_made_again_and_the_rest_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    assert_eq!(missing(&folder), 0);
    let length = std::fs::metadata(&path).unwrap().len();
    let open = || std::fs::File::options().write(true).open(&path).unwrap();

    open().set_len(length - 5).unwrap();
    assert_eq!(missing(&folder), 1, "the last record is cut off");
    Vectors::new("m", Some(folder.path())).add(&records(9, 10)).unwrap();
    assert_eq!((missing(&folder), std::fs::metadata(&path).unwrap().len()), (0, length));

    open().write_all_at(&[0xff], length - 60).unwrap();
    assert_eq!(missing(&folder), 1, "one record is damaged");
    Vectors::new("m", Some(folder.path())).add(&records(0, 10)).unwrap();
    assert_eq!(missing(&folder), 0);
}

#[test]
fn a_file_that_is_none_of_ours_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    let whole = std::fs::read(&path).unwrap();
    let older = [b"wfvecs.0", &whole[8..]].concat();
    for content in
        [&b""[..], b"nonsense", &older, &whole[..40], &[whole[..20].to_vec(), vec![0; 4000]].concat()]
    {
        std::fs::write(&path, content).unwrap();
        assert_eq!(missing(&folder), 10);
        Vectors::new("m", Some(folder.path())).add(&records(0, 10)).unwrap();
        assert_eq!(missing(&folder), 0);
    }
    // Vectors of another length: the model behind the name is another one.
    let longer = [(key("0"), Quantised::of(&[1.0, 2.0, 3.0, 4.0]).unwrap())];
    let vectors = Vectors::new("m", Some(folder.path()));
    assert!(vectors.want(&keys(10)).is_empty());
    vectors.add(&longer).unwrap();
    assert_eq!((vectors.dimension(), vectors.want(&keys(10)).len()), (Some(4), 9));
    assert_eq!(missing(&folder), 9);

    std::fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
    assert_eq!(missing(&folder), 10, "a link is not followed");
}

#[test]
fn writers_at_the_same_time_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let folder = folder.path();
            scope.spawn(move || {
                let vectors = Vectors::new("m", Some(folder));
                (0..25).for_each(|n| vectors.add(&records(writer * 25 + n, writer * 25 + n + 1)).unwrap());
            });
        }
    });
    assert!(Vectors::new("m", Some(folder.path())).want(&keys(100)).is_empty());
}
