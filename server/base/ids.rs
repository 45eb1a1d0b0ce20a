//! Ids of calls, proposals and hunks.

use std::borrow::{Borrow, Cow};
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

/// Makes a type of a kind of id: a string in every data format, cheap to clone, and never mistaken for an id of another
/// kind.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl From<String> for $name {
            fn from(id: String) -> Self {
                Self(id.into())
            }
        }

        impl From<&str> for $name {
            fn from(id: &str) -> Self {
                Self(id.into())
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                (*id.0).to_owned()
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                *self.0 == *other
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                *self.0 == **other
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&*self.0, f)
            }
        }

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                String::json_schema(generator)
            }
        }
    };
}

id! {
    /// A call: `c-0007`, unique in its session. An undo has an id of its own: `u-…`. Empty if there is no call.
    CallId
}

id! {
    /// A proposal: `p-…`, unique in the workspace.
    ProposalId
}

id! {
    /// A hunk: `h1`, `h2`, …, unique in its proposal.
    HunkId
}

/// Numbers of one kind, `PREFIX-0001` and up, unique in their session.
#[derive(Debug)]
pub struct IdCounter {
    prefix: &'static str,
    next: AtomicU64,
}

impl IdCounter {
    /// Starts after `last`.
    pub fn starting_after(prefix: &'static str, last: u64) -> Self {
        Self { prefix, next: AtomicU64::new(last + 1) }
    }

    /// The next id.
    pub fn next(&self) -> String {
        format!("{}-{:04}", self.prefix, self.next.fetch_add(1, Ordering::Relaxed))
    }
}

/// An eight-digit word, made from the clock, the process id and a count, that no other process picks at the same
/// moment. It is unique, not secret.
pub fn unique_word() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let now = jiff::Timestamp::now().as_nanosecond();
    let seed = (now, std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let mut word = super::hash::short_hash(format!("{seed:?}").as_bytes());
    word.truncate(8);
    word
}
