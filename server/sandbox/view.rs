//! What of the host every sandbox shows: the system's programs and libraries, and the few settings that they read.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crate::bytes::Bytes;
use crate::spec::{How, Shown};

const FOLDERS: [&str; 9] =
    ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store"];

/// Settings that hold no secret. `/etc` itself holds some.
const SETTINGS: [&str; 28] = [
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/crypto-policies",
    "/etc/debian_version",
    "/etc/fonts",
    "/etc/group",
    "/etc/hosts",
    "/etc/inputrc",
    "/etc/java-17-openjdk",
    "/etc/java-21-openjdk",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/locale.alias",
    "/etc/localtime",
    "/etc/magic",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/pki/tls",
    "/etc/protocols",
    "/etc/resolv.conf",
    "/etc/services",
    "/etc/shells",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/terminfo",
];

static SYSTEM: LazyLock<Vec<Shown>> = LazyLock::new(|| {
    FOLDERS.iter().chain(&SETTINGS).filter_map(|path| shown(Path::new(path), How::ReadOnly)).collect()
});

/// What every sandbox shows. It is looked up once.
pub(crate) fn system() -> &'static [Shown] {
    &SYSTEM
}

/// How a path of the host is shown: as itself, or as the symlink that it is. `None`: it is not there.
fn shown(path: &Path, how: How) -> Option<Shown> {
    let metadata = fs::symlink_metadata(path).ok()?;
    let how = if metadata.is_symlink() { How::Link(fs::read_link(path).ok()?.into()) } else { how };
    Some(Shown { path: path.into(), how })
}

/// Shows `path`, and where it leads if a symlink is on the way.
pub(crate) fn with_links(path: &Path, how: &How) -> std::io::Result<Vec<Shown>> {
    let real = fs::canonicalize(path)?;
    let mut found = vec![Shown { path: Bytes::from(real.as_path()), how: how.clone() }];
    if real != path {
        found.push(Shown { path: path.into(), how: How::Link(real.into()) });
    }
    Ok(found)
}

/// The home folder of the person, at whose place the sandbox has an empty one.
pub(crate) fn home() -> PathBuf {
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    let home = home.filter(|home| home.components().count() > 1);
    home.unwrap_or_else(|| PathBuf::from("/run/home"))
}
