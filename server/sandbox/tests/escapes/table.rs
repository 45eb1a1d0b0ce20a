//! The definition of an attempt: its name, its actions inside, and the sign on the outside that it got through.

use std::io;

use crate::groups;
use crate::inside::Inside;
use crate::run::Scene;

/// The sign that an attempt got through. All but `Said` are seen by the host itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    /// A file outside, or a protected one inside, is not as it was.
    Changed,
    /// The attempt's output holds a secret.
    Leaked,
    /// A listener of the host got the attempt's word.
    Heard,
    /// A process of the host is not as it was.
    Harmed,
    /// A process of the attempt is there after its end.
    Alive,
    /// The run took longer than it may, or kept a stream open.
    Overran,
    /// The workspace holds something that endangers who opens it.
    Planted,
    /// The attempt's own check finds something.
    Looked,
    /// Only the attempt can tell.
    Said,
}

/// The users that make the attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    Both,
    Root,
    User,
}

/// The host's part in an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    Nothing,
    /// A process of the same user.
    Victim,
    /// A terminal as standard input and controlling terminal.
    Terminal,
    /// Descriptors 9 (a secret), 10 (a folder), 11 (a connected socket) and 200 (a file to write) are left open.
    Descriptors,
    /// A socket appears in the workspace while the command runs.
    LateSocket,
    /// The launcher gets this signal while the command runs.
    Signal(i32),
    /// The host connects to the attempt's port, and reads from it.
    Caller,
    /// The host swaps `ws/swap` with a link to the outside, while the launcher is started again and again.
    Swapper,
}

/// An attempt.
#[derive(Clone, Copy)]
pub(crate) struct Attempt {
    pub name: &'static str,
    pub sign: Sign,
    pub act: fn(&Inside) -> io::Result<()>,
    pub who: Who,
    pub need: Need,
    /// Further options of the launcher; `{arena}` is the arena's folder.
    pub options: &'static [&'static str],
    /// Prepares the arena before the start.
    pub stage: fn(&Scene),
    /// True if the launcher may refuse to start because of the planted entries of the attempt's stage.
    pub refusable: bool,
    /// The reason why it is known not to be stopped yet.
    pub known: Option<&'static str>,
    /// Folders of the workspace in which the host asks `git status` afterwards.
    pub git_in: &'static [&'static str],
    /// A further check of the host.
    pub look: fn(&Scene) -> Option<String>,
    /// The command's wall clock limit, in milliseconds.
    pub wall: u64,
    /// The longest time for the whole run, in milliseconds.
    pub within: u64,
}

/// An attempt with nothing special about it.
pub(crate) const fn attempt(name: &'static str, sign: Sign, act: fn(&Inside) -> io::Result<()>) -> Attempt {
    Attempt {
        name,
        sign,
        act,
        who: Who::Both,
        need: Need::Nothing,
        options: &[],
        stage: |_| {},
        refusable: false,
        known: None,
        git_in: &[],
        look: |_| None,
        wall: 5000,
        within: 8000,
    }
}

impl Attempt {
    pub(crate) const fn root(mut self) -> Self {
        self.who = Who::Root;
        self
    }

    pub(crate) const fn user(mut self) -> Self {
        self.who = Who::User;
        self
    }

    pub(crate) const fn need(mut self, need: Need) -> Self {
        self.need = need;
        self
    }

    pub(crate) const fn options(mut self, options: &'static [&'static str]) -> Self {
        self.options = options;
        self
    }

    pub(crate) const fn stage(mut self, stage: fn(&Scene)) -> Self {
        self.stage = stage;
        self
    }

    pub(crate) const fn refusable(mut self) -> Self {
        self.refusable = true;
        self
    }

    pub(crate) const fn known(mut self, why: &'static str) -> Self {
        self.known = Some(why);
        self
    }

    pub(crate) const fn git_in(mut self, folders: &'static [&'static str]) -> Self {
        self.git_in = folders;
        self
    }

    pub(crate) const fn look(mut self, look: fn(&Scene) -> Option<String>) -> Self {
        self.look = look;
        self
    }

    pub(crate) const fn limit(mut self, wall: u64, within: u64) -> Self {
        self.wall = wall;
        self.within = within;
        self
    }
}

/// Returns all groups with their attempts.
pub(crate) fn all() -> Vec<(&'static str, &'static Attempt)> {
    let rows = |(group, rows): &(&'static str, &'static [Attempt])| {
        let group = *group;
        rows.iter().map(move |row| (group, row))
    };
    groups::ALL.iter().flat_map(rows).chain(in_shared_network()).collect()
}

/// The attempts that a network may matter to once more, in one that commands share.
fn in_shared_network() -> impl Iterator<Item = (&'static str, &'static Attempt)> {
    const GROUPS: [&str; 4] = ["network", "sockets", "namespaces", "inherited"];
    let groups = groups::ALL.iter().filter(|(group, _)| GROUPS.contains(group));
    let rows = groups.flat_map(|(_, rows)| rows.iter()).filter(|row| !row.options.contains(&"--tier"));
    rows.map(|row| {
        let options: &'static [&'static str] = Vec::leak([row.options, &["--network", "shared"]].concat());
        let row: &'static Attempt = Box::leak(Box::new(Attempt { options, ..*row }));
        ("shared network", row)
    })
}
