//! The identity of a file, independent of its names.

/// The identity of an existing file on this machine: its device and its inode there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileId {
    /// The device's number.
    pub device: u64,
    /// The inode's number.
    pub inode: u64,
}
