//! Names that a command must not give to anything, chosen by the caller.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// The caller's decision on a path.
type GuardFn = dyn Fn(&Path) -> bool + Send + Sync;

/// Decides by its path whether a command must not make or change an entry in a writable folder. The entries below a
/// closed entry are closed with it. The default closes nothing.
#[derive(Clone, Default)]
pub struct PathGuard(Option<Arc<GuardFn>>);

impl PathGuard {
    /// Creates a guard that asks `closes`. It is called for each entry of each scanned folder, from several threads.
    #[must_use]
    pub fn new(closes: impl Fn(&Path) -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(closes)))
    }

    /// Creates a guard that closes these names at any depth, ignoring case.
    #[must_use]
    pub fn of_names(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        Self::new(move |path| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| names.iter().any(|known| name.eq_ignore_ascii_case(known)))
        })
    }

    /// Returns whether a command must not make or change the entry at `path`.
    #[must_use]
    pub fn closes(&self, path: &Path) -> bool {
        self.0.as_ref().is_some_and(|closes| closes(path))
    }
}

/// Two guards are equal if one was cloned from the other: only then are their answers known to agree.
impl PartialEq for PathGuard {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (None, None) => true,
            _ => false,
        }
    }
}

impl Eq for PathGuard {}

impl fmt::Debug for PathGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "PathGuard(…)" } else { "PathGuard(none)" })
    }
}
