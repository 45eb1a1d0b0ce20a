//! The version of the kernel, if a feature cannot be asked for without harm.

/// The first version in which a process namespace has its own highest number. Before, the number is the whole machine's,
/// which root could change.
pub(crate) const OWN_PID_MAX: (u32, u32) = (6, 14);

/// The first version that counts a user's processes for each user namespace by itself.
pub(crate) const OWN_PROCESS_COUNT: (u32, u32) = (5, 14);

/// Returns whether the kernel has `version` or a later one.
pub(crate) fn is_since(version: (u32, u32)) -> bool {
    let name = rustix::system::uname();
    version_of(&name.release().to_string_lossy()) >= version
}

fn version_of(release: &str) -> (u32, u32) {
    let mut numbers = release.split(|at: char| !at.is_ascii_digit()).map(|part| part.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::version_of;

    #[test]
    fn a_version_is_two_numbers() {
        assert_eq!(version_of("6.18.44-fc-v669"), (6, 18));
        assert_eq!(version_of("5.9-rc1"), (5, 9));
        assert!(version_of("6.2.0-39-generic") < (6, 14));
        assert_eq!(version_of("odd"), (0, 0));
    }
}
