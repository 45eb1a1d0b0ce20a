//! The cache: its contents, and the treatment of a damaged file.

use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use std::path::Path;

use super::*;
use crate::store::VectorFile;

fn vectors(model: &str, folder: &Path) -> VectorCache {
    VectorCache::new(Some(Arc::new(VectorFile::new(folder, model))))
}

fn records(from: usize, to: usize) -> Vec<Record> {
    let vector = |n: usize| QuantisedVector::from_floats(&[1.0, n as f32, -2.0]).unwrap();
    (from..to).map(|n| (text_key(&n.to_string()), vector(n))).collect()
}

fn keys(count: usize) -> Vec<Key> {
    (0..count).map(|n| text_key(&n.to_string())).collect()
}

/// A file with ten vectors, and how many of them are missing when another process reads it.
async fn file(folder: &tempfile::TempDir) -> PathBuf {
    vectors("m", folder.path()).add_records(records(0, 10)).await.unwrap();
    let files = std::fs::read_dir(folder.path()).unwrap().flatten().map(|entry| entry.path());
    files.into_iter().find(|path| path.extension().is_some()).unwrap()
}

async fn missing(folder: &tempfile::TempDir) -> usize {
    vectors("m", folder.path()).hold_vectors(&keys(10)).await.len()
}

#[tokio::test]
async fn vectors_are_there_for_the_next_process() {
    let folder = tempfile::tempdir().unwrap();
    let one = vectors("m", folder.path());
    assert_eq!(one.hold_vectors(&keys(4)).await, [0, 1, 2, 3]);
    one.add_records(records(0, 3)).await.unwrap();
    assert_eq!(one.hold_vectors(&keys(4)).await, [3]);

    let next = vectors("m", folder.path());
    assert_eq!(next.hold_vectors(&keys(4)).await, [3]);
    let asked = QuantisedVector::from_floats(&[1.0, 2.0, -2.0]).unwrap().to_wide();
    let cosines = next.cosines(&asked, &keys(4)).unwrap();
    assert!((cosines[2] - 1.0).abs() < 0.001 && cosines[0] < 0.95 && cosines[3].is_nan(), "{cosines:?}");
    assert_eq!(next.cosines(&QuantisedVector::from_floats(&[1.0]).unwrap().to_wide(), &keys(4)), None);

    let other = vectors("another model", folder.path());
    assert_eq!(other.hold_vectors(&keys(1)).await, [0]);
    // Two tools with the same text need one vector.
    assert_eq!(other.hold_vectors(&[text_key("a"), text_key("a"), text_key("b")]).await, [0, 2]);
    one.forget_all(4).await;
    assert_eq!(missing(&folder).await, 7);
    one.forget_all(3).await;
    assert_eq!(missing(&folder).await, 10);
}

#[tokio::test]
async fn without_a_folder_they_last_as_long_as_the_process() {
    let one = VectorCache::new(None);
    one.add_records(records(0, 3)).await.unwrap();
    assert_eq!(one.hold_vectors(&keys(4)).await, [3]);
}

#[tokio::test]
async fn what_is_damaged_or_cut_off_is_made_again_and_the_rest_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder).await;
    assert_eq!(missing(&folder).await, 0);
    let length = std::fs::metadata(&path).unwrap().len();
    let open = || std::fs::File::options().write(true).open(&path).unwrap();

    open().set_len(length - 5).unwrap();
    assert_eq!(missing(&folder).await, 1, "the last record is cut off");
    vectors("m", folder.path()).add_records(records(9, 10)).await.unwrap();
    assert_eq!((missing(&folder).await, std::fs::metadata(&path).unwrap().len()), (0, length));

    open().write_all_at(&[0xff], length - 60).unwrap();
    assert_eq!(missing(&folder).await, 1, "one record is damaged");
    vectors("m", folder.path()).add_records(records(0, 10)).await.unwrap();
    assert_eq!(missing(&folder).await, 0);
}

#[tokio::test]
async fn a_file_that_is_none_of_ours_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder).await;
    let whole = std::fs::read(&path).unwrap();
    let older = [b"wfvecs.0", &whole[8..]].concat();
    for content in
        [&b""[..], b"nonsense", &older, &whole[..40], &[whole[..20].to_vec(), vec![0; 4000]].concat()]
    {
        std::fs::write(&path, content).unwrap();
        assert_eq!(missing(&folder).await, 10);
        vectors("m", folder.path()).add_records(records(0, 10)).await.unwrap();
        assert_eq!(missing(&folder).await, 0);
    }
    // Vectors of another length: the model behind the name is another one.
    let longer = [(text_key("0"), QuantisedVector::from_floats(&[1.0, 2.0, 3.0, 4.0]).unwrap())];
    let one = vectors("m", folder.path());
    assert!(one.hold_vectors(&keys(10)).await.is_empty());
    one.add_records(longer.to_vec()).await.unwrap();
    assert_eq!((one.dimension(), one.hold_vectors(&keys(10)).await.len()), (Some(4), 9));
    assert_eq!(missing(&folder).await, 9);

    std::fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
    assert_eq!(missing(&folder).await, 10, "a link is not followed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn writers_at_the_same_time_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let writers = (0..4).map(|writer| {
        let one = vectors("m", folder.path());
        tokio::spawn(async move {
            for n in 0..25 {
                one.add_records(records(writer * 25 + n, writer * 25 + n + 1)).await.unwrap();
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    assert!(vectors("m", folder.path()).hold_vectors(&keys(100)).await.is_empty());
}
