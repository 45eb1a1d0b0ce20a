//! The paths of the host that every sandbox shows: the system's programs and libraries, and the few settings that
//! they read.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crate::bytes::OsBytes;
use crate::spec::{ShowMode, ShownPath};

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

static SYSTEM: LazyLock<Vec<ShownPath>> = LazyLock::new(|| {
    FOLDERS
        .iter()
        .chain(&SETTINGS)
        .filter_map(|path| show_path(Path::new(path), ShowMode::ReadOnly))
        .collect()
});

/// Returns the paths that every sandbox shows. They are looked up once.
pub(crate) fn system_paths() -> &'static [ShownPath] {
    &SYSTEM
}

/// Returns a path of the host in the form that is shown: itself, or the symlink that it is. `None`: it does not
/// exist.
fn show_path(path: &Path, how: ShowMode) -> Option<ShownPath> {
    let metadata = fs::symlink_metadata(path).ok()?;
    let how = if metadata.is_symlink() { ShowMode::Link(fs::read_link(path).ok()?.into()) } else { how };
    Some(ShownPath { path: path.into(), how })
}

/// Shows `path`, and where it leads if a symlink is on the way.
pub(crate) fn with_links(path: &Path, how: &ShowMode) -> std::io::Result<Vec<ShownPath>> {
    let real = fs::canonicalize(path)?;
    let mut found = vec![ShownPath { path: OsBytes::from(real.as_path()), how: how.clone() }];
    if real != path {
        found.push(ShownPath { path: path.into(), how: ShowMode::Link(real.into()) });
    }
    Ok(found)
}

/// The home folder of the person, at whose place the sandbox has an empty one.
pub(crate) fn home_folder() -> PathBuf {
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    let home = home.filter(|home| home.components().count() > 1);
    home.unwrap_or_else(|| PathBuf::from("/run/home"))
}
