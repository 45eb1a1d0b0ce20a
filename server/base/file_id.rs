//! Which file, whatever its names.

/// A file of this machine, told apart from every other while it exists: its device and its inode there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileId {
    /// The device's number.
    pub device: u64,
    /// The inode's number.
    pub inode: u64,
}
