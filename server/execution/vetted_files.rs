//! Closed files that a command may read all the same, as their content shows: certificates, and settings of package managers
//! that hold no secret. The command is shown the very bytes that were judged, so a file that is swapped later shows nothing.
//!
//! # Invariants
//!
//! - No content of a closed file is shown but the bytes that were judged to be public.
//!   Test: `the_bytes_that_were_judged_are_the_ones_that_are_shown`,
//!   `certificates_are_public_and_no_key_is_under_any_label`, `settings_are_open_where_they_hold_no_secret`

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use parking_lot::Mutex;
use rustix::fs::{FileType, Mode, OFlags};

use super::closures::{EntryStamp, was_still};
use crate::rules::{LARGEST, public_judge};
use crate::sandbox::FileReplacement;

/// Files that are shown to one command at most, and their bytes in all.
const MOST: usize = 512;
const MOST_BYTES: usize = 16 << 20;

/// Judges closed files by what they hold. A file that did not change since is not judged again.
#[derive(Debug, Default)]
pub(super) struct VettedFiles(Mutex<HashMap<PathBuf, (EntryStamp, VettedBytes)>>);

/// The bytes of a file that may be shown.
type VettedBytes = Option<Arc<[u8]>>;

impl VettedFiles {
    /// Returns the closed files that a command may read, with their bytes.
    pub(super) fn find_vetted(&self, closed: &[PathBuf]) -> Vec<FileReplacement> {
        let mut known = self.0.lock();
        let (mut kept, mut found, mut left) = (HashMap::new(), Vec::new(), MOST_BYTES);
        for path in closed.iter().filter(|path| public_judge(path).is_some()) {
            let began = SystemTime::now();
            let Some((stamp, verdict)) = look_at(path, known.remove(path)) else { continue };
            if let Some(bytes) = verdict.as_ref().filter(|bytes| bytes.len() <= left && found.len() < MOST) {
                left -= bytes.len();
                found.push(FileReplacement { path: path.clone(), bytes: bytes.clone() });
            }
            // A file that changed just now may change again with the same time stamp.
            if was_still(stamp, began) {
                kept.insert(path.clone(), (stamp, verdict));
            }
        }
        *known = kept;
        found
    }
}

/// Judges a regular file; the earlier result counts where its stamp is the same.
fn look_at(path: &Path, before: Option<(EntryStamp, VettedBytes)>) -> Option<(EntryStamp, VettedBytes)> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::empty()).ok()?;
    let stat = rustix::fs::fstat(&file).ok()?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return None;
    }
    let stamp = EntryStamp::from_stat(&stat);
    if let Some(before) = before.filter(|(then, _)| *then == stamp) {
        return Some(before);
    }
    if u64::try_from(stat.st_size).is_ok_and(|size| size > LARGEST as u64) {
        return Some((stamp, None));
    }
    let mut bytes = Vec::new();
    File::from(file).take(LARGEST as u64 + 1).read_to_end(&mut bytes).ok()?;
    let text = std::str::from_utf8(&bytes).ok().filter(|text| text.len() <= LARGEST);
    let is_open = text.zip(public_judge(path)).is_some_and(|(text, judge)| judge(text));
    Some((stamp, is_open.then(|| bytes.into())))
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;

    use super::*;

    fn block(label: &str, der: &[u8]) -> String {
        format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", STANDARD.encode(der))
    }

    #[test]
    fn the_bytes_that_were_judged_are_the_ones_that_are_shown() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let certificate = block("CERTIFICATE", &[0x30, 4, 0x30, 2, 5, 0]);
        std::fs::write(at("ca.pem"), &certificate).unwrap();
        std::fs::write(at("key.pem"), block("PRIVATE KEY", &[0x30, 0])).unwrap();
        std::os::unix::fs::symlink("ca.pem", at("link.pem")).unwrap();
        std::fs::create_dir(at("folder.pem")).unwrap();
        std::fs::write(at(".env"), "A=1").unwrap();
        std::fs::write(at("large.pem"), certificate.repeat(LARGEST / certificate.len() + 1)).unwrap();
        let vetted = VettedFiles::default();
        let names = ["ca.pem", "key.pem", "link.pem", "folder.pem", ".env", "large.pem", "missing.pem"];
        let closed: Vec<PathBuf> = names.iter().map(|name| at(name)).collect();
        let shown = vetted.find_vetted(&closed);
        assert_eq!(shown.len(), 1);
        assert_eq!((&shown[0].path, &*shown[0].bytes), (&at("ca.pem"), certificate.as_bytes()));
        std::fs::write(at("ca.pem"), block("PRIVATE KEY", &[0x30, 0])).unwrap();
        assert!(vetted.find_vetted(&closed).is_empty());
        std::fs::rename(at("ca.pem"), at("old.pem")).unwrap();
        std::fs::write(at("ca.pem"), &certificate).unwrap();
        assert_eq!(vetted.find_vetted(&closed).len(), 1);
    }
}
