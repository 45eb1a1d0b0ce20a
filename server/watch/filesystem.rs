//! Separates file systems that report changes from those that have to be read.

use std::os::fd::BorrowedFd;

use rustix::fs::{fstatfs, ioctl_getflags};

/// File systems whose changes may be made by another machine, or whose names have no case: their numbers and names.
const POLLED: [(u32, &str); 24] = [
    (0x0000_6969, "NFS"),
    (0x0000_517b, "SMB"),
    (0xff53_4d42, "CIFS"),
    (0xfe53_4d42, "SMB2"),
    (0x0102_1997, "9p"),
    (0x6573_5546, "FUSE"),
    (0x00c3_6400, "Ceph"),
    (0x5346_414f, "AFS"),
    (0x6b41_4653, "AFS"),
    (0x7375_7245, "Coda"),
    (0x0000_564c, "NCP"),
    (0x0bd0_0bd0, "Lustre"),
    (0x4750_4653, "GPFS"),
    (0x0116_1970, "GFS2"),
    (0x7461_636f, "OCFS2"),
    (0x786f_4256, "a shared folder of VirtualBox"),
    (0xbacb_acbc, "a shared folder of VMware"),
    (0x7c7c_6673, "a shared folder of Parallels"),
    (0x0000_4d44, "FAT"),
    (0x2011_bab0, "exFAT"),
    (0x5346_544e, "NTFS"),
    (0x7366_746e, "NTFS"),
    (0x0000_482b, "HFS+"),
    (0x0000_4244, "HFS"),
];

/// The flag of a folder whose names have no case.
const CASEFOLD: u32 = 0x4000_0000;

/// Returns the reason why changes in the folder have to be found by reading it, or `None` if the kernel reports them.
pub(super) fn must_be_polled(folder: BorrowedFd<'_>) -> Option<&'static str> {
    let number = fstatfs(folder).ok()?.f_type;
    let found = POLLED.iter().find(|(magic, _)| i64::from(*magic) == (number & 0xffff_ffff));
    match found {
        Some((_, name)) => Some(name),
        None => {
            let flags = ioctl_getflags(folder).ok()?;
            (flags.bits() & CASEFOLD != 0).then_some("a folder whose names have no case")
        }
    }
}
