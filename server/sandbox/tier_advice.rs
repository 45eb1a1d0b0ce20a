//! The reason why a tier is missing, and the remedy for an administrator or a person.

use std::fs;
use std::io;

use crate::error::SandboxError;
use crate::spec::BuildStage;

/// Settings of the kernel that keep users from making namespaces, the value that does so, and the one that does not.
const SETTINGS: [(&str, &str, &str); 4] = [
    ("kernel.apparmor_restrict_unprivileged_userns", "1", "0"),
    ("kernel.unprivileged_userns_clone", "0", "1"),
    ("user.max_user_namespaces", "0", "10000"),
    ("user.max_net_namespaces", "0", "10000"),
];

/// Explains the error that kept a command from running in namespaces.
pub(crate) fn namespaces_advice(error: &SandboxError) -> String {
    let SandboxError::Build { stage, source, .. } = error else { return format!("namespaces: {error}") };
    let advice = match stage {
        _ if source.raw_os_error() == Some(libc::ENOSYS) => "use Linux 5.12 or later".to_owned(),
        BuildStage::Namespaces => namespaces_are_off(),
        BuildStage::Root => {
            "in a container, start it with `--security-opt seccomp=unconfined --security-opt \
                        systempaths=unconfined`, so that it may mount a `/proc` of its own"
                .to_owned()
        }
        _ => "report this to the project".to_owned(),
    };
    format!("namespaces: {stage} failed: {source}; {advice}")
}

/// Explains the error that kept a command from running in the namespaces of `bwrap`, which printed `said`.
pub(crate) fn bubblewrap_advice(error: &SandboxError, said: &str) -> String {
    let words = said.lines().map(|line| line.trim_start_matches("bwrap: ")).find(|line| !line.is_empty());
    match (error, words) {
        (SandboxError::Start(source), _) if source.kind() == io::ErrorKind::NotFound => {
            "bwrap: not installed; install the package `bubblewrap`".to_owned()
        }
        (SandboxError::Lost, Some(words)) => format!("bwrap: {}", words.escape_debug()),
        _ => format!("bwrap: {error}"),
    }
}

/// Explains why a command could not run under Landlock.
pub(crate) fn landlock_advice(version: i32) -> String {
    match version {
        0 => "Landlock: this kernel has none or it is not enabled; start the kernel with `lsm=landlock,…`"
            .to_owned(),
        old => format!(
            "Landlock: this kernel has version {old}, 6 is the oldest that confines enough; use Linux 6.12 or later"
        ),
    }
}

fn namespaces_are_off() -> String {
    let in_force = |(name, off, _): &&(&str, &str, &str)| {
        let file = format!("/proc/sys/{}", name.replacen('.', "/", 1));
        fs::read_to_string(file).is_ok_and(|value| value.trim() == *off)
    };
    match SETTINGS.iter().find(in_force) {
        Some((name, _, on)) => format!("an administrator allows them by `sysctl {name}={on}`"),
        None => "this process may not make them; in a container, start it with `--security-opt seccomp=unconfined`"
            .to_owned(),
    }
}
