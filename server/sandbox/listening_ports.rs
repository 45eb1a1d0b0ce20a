//! The ports on which programs listen, as the kernel lists them for a network.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::Path;

use crate::tree;

/// The state of a socket that listens.
const LISTENS: &str = "0A";
/// Sockets that are looked at, at most.
const MOST: usize = 4096;

/// A port on which a program listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ListeningPort {
    /// Its number.
    pub port: u16,
    /// True if it is reached at `::1`, and not at `127.0.0.1`.
    pub is_v6: bool,
    /// The inode of the socket.
    pub inode: u64,
}

/// Reads the lists of sockets in the folder `net` of a process.
pub(crate) fn read_ports(net: &Path) -> Vec<ListeningPort> {
    let read = |name: &str, is_v6: bool| -> Vec<ListeningPort> {
        let text = fs::read_to_string(net.join(name)).unwrap_or_default();
        text.lines().skip(1).take(MOST).filter_map(|line| parse_line(line, is_v6)).collect()
    };
    let mut all = read("tcp", false);
    let known: HashSet<u16> = all.iter().map(|listening| listening.port).collect();
    all.extend(read("tcp6", true).into_iter().filter(|listening| !known.contains(&listening.port)));
    all.sort_unstable();
    all.dedup_by_key(|listening| listening.port);
    all
}

/// `sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode …`
fn parse_line(line: &str, is_v6: bool) -> Option<ListeningPort> {
    let fields: Vec<&str> = line.split_whitespace().take(10).collect();
    let (local, state, inode) = (fields.get(1)?, fields.get(3)?, fields.get(9)?);
    let port = u16::from_str_radix(local.rsplit(':').next()?, 16).ok()?;
    let listening = ListeningPort { port, is_v6, inode: inode.parse().ok()? };
    (*state == LISTENS && port != 0).then_some(listening)
}

/// The inodes of the sockets that a process or one that it started has open.
pub(crate) fn open_sockets(process: u32) -> BTreeSet<u64> {
    let Ok(process) = i32::try_from(process) else { return BTreeSet::new() };
    tree::started_by(process).into_iter().flat_map(sockets_of).collect()
}

fn sockets_of(process: i32) -> Vec<u64> {
    let entries = fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten();
    let links = entries.take(MOST).filter_map(|entry| fs::read_link(entry.path()).ok());
    links
        .filter_map(|link| link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_read_of_what_listens_alone() {
        let made = tempfile::tempdir().unwrap();
        let head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
        let v4 = "   0: 0100007F:1450 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 77 1 0 100 0\n   \
                  1: 0100007F:1451 0100007F:1450 01 00000000:00000000 00:00000000 00000000     0        0 78 1 0 100 0\n   \
                  torn line\n";
        let v6 = "   0: 00000000000000000000000001000000:0BB8 00000000000000000000000000000000:0000 0A 0:0 00:0 0 0 0 79 1\n   \
                  1: 00000000000000000000000000000000:1450 00000000000000000000000000000000:0000 0A 0:0 00:0 0 0 0 80 1\n";
        fs::write(made.path().join("tcp"), format!("{head}{v4}")).unwrap();
        fs::write(made.path().join("tcp6"), format!("{head}{v6}")).unwrap();
        let expected = [
            ListeningPort { port: 3000, is_v6: true, inode: 79 },
            ListeningPort { port: 5200, is_v6: false, inode: 77 },
        ];
        assert_eq!(read_ports(made.path()), expected);
        assert_eq!(read_ports(Path::new("/nowhere")), []);
    }
}
