//! The settings of a repository that say how its files are read. All others, among them all that name programs, are left out.

use std::fmt::Write;
use std::iter::Peekable;
use std::str::Chars;

/// The settings that are kept: each describes how files, refs or objects are stored, and none names a program or a
/// path.
const KEPT_SETTINGS: [&str; 15] = [
    "core.repositoryformatversion",
    "core.filemode",
    "core.ignorecase",
    "core.symlinks",
    "core.autocrlf",
    "core.eol",
    "core.trustctime",
    "core.checkstat",
    "core.precomposeunicode",
    "core.sparsecheckout",
    "core.sparsecheckoutcone",
    "index.sparse",
    "extensions.objectformat",
    "extensions.compatobjectformat",
    "extensions.refstorage",
];
/// The settings of one branch or remote that are kept: which branch is the upstream of which.
const KEPT_OF_EACH: [(&str, &str); 3] = [("branch", "remote"), ("branch", "merge"), ("remote", "fetch")];
/// Extensions that a repository is read without.
const PASSED_OVER: [&str; 5] =
    ["noop", "preciousobjects", "partialclone", "worktreeconfig", "relativeworktrees"];

/// The settings of a person that their commands have too. None names a program, sends anything elsewhere or holds a secret.
const PERSONAL: [&str; 44] = [
    "user.name",
    "user.email",
    "user.useconfigonly",
    "init.defaultbranch",
    "core.autocrlf",
    "core.eol",
    "core.safecrlf",
    "core.quotepath",
    "core.whitespace",
    "core.abbrev",
    "core.commentchar",
    "core.ignorecase",
    "pull.rebase",
    "pull.ff",
    "push.default",
    "push.autosetupremote",
    "push.followtags",
    "fetch.prune",
    "fetch.prunetags",
    "merge.ff",
    "merge.conflictstyle",
    "merge.renames",
    "rebase.autosquash",
    "rebase.autostash",
    "rebase.updaterefs",
    "rerere.enabled",
    "rerere.autoupdate",
    "diff.algorithm",
    "diff.renames",
    "diff.colormoved",
    "diff.context",
    "diff.mnemonicprefix",
    "diff.noprefix",
    "commit.verbose",
    "commit.cleanup",
    "branch.autosetuprebase",
    "branch.autosetupmerge",
    "branch.sort",
    "tag.sort",
    "column.ui",
    "help.autocorrect",
    "submodule.recurse",
    "versionsort.suffix",
    "log.date",
];
/// Sections of a person's settings that are kept whole.
const PERSONAL_SECTIONS: [&str; 4] = ["color", "advice", "status", "log"];

/// The settings of a person's git configuration that their commands also use.
#[derive(Debug, Default)]
pub(in crate::execution) struct PersonalSettings {
    /// The settings, as the text of a settings file.
    pub(in crate::execution) kept: String,
    /// The files that it includes.
    pub(in crate::execution) includes: Vec<String>,
    /// The file with patterns of what git ignores everywhere.
    pub(in crate::execution) excludes_file: Option<String>,
}

/// Reads a settings file of the person.
pub(in crate::execution) fn personal_settings(text: &str) -> PersonalSettings {
    let mut found = PersonalSettings::default();
    for setting in read_settings(text) {
        let whole = format!("{}.{}", setting.section, setting.name);
        match (whole.as_str(), &setting.subsection) {
            ("include.path", None) => found.includes.push(setting.value),
            ("core.excludesfile", None) => found.excludes_file = Some(setting.value),
            _ if setting.is_personal(&whole) => setting.write_to(&mut found.kept),
            _ => {}
        }
    }
    found
}

/// A single setting.
#[derive(Clone, Debug, PartialEq, Eq)]
struct GitSetting {
    /// In lower case.
    section: String,
    subsection: Option<String>,
    /// In lower case.
    name: String,
    value: String,
}

/// Returns the settings of a repository that git is given, as the text of a settings file.
///
/// # Errors
/// The extension of the repository's format that is not known.
pub(super) fn kept_settings(text: &str) -> Result<String, String> {
    let settings = read_settings(text);
    let mut kept = String::from("[core]\n\tbare = false\n");
    for setting in &settings {
        let known = setting.is_kept();
        if setting.section == "extensions" && !known && !PASSED_OVER.contains(&setting.name.as_str()) {
            return Err(setting.name.clone());
        }
        if known {
            setting.write_to(&mut kept);
        }
    }
    Ok(kept)
}

/// Returns whether the settings select the reftable format for references.
pub(super) fn has_reftable(text: &str) -> bool {
    let is_it = |setting: &GitSetting| setting.section == "extensions" && setting.name == "refstorage";
    read_settings(text).iter().any(|setting| is_it(setting) && !setting.value.eq_ignore_ascii_case("files"))
}

/// The working tree that the settings name.
pub(in crate::execution) fn named_worktree(text: &str) -> Option<String> {
    let is_it = |setting: &GitSetting| {
        setting.section == "core" && setting.subsection.is_none() && setting.name == "worktree"
    };
    read_settings(text).into_iter().rfind(is_it).map(|setting| setting.value)
}

impl GitSetting {
    fn is_personal(&self, whole: &str) -> bool {
        let is_known = match &self.subsection {
            None if self.section == "alias" => !self.value.trim_start().starts_with('!'),
            None => PERSONAL.contains(&whole) || PERSONAL_SECTIONS.contains(&self.section.as_str()),
            Some(_) => whole == "protocol.allow" || self.section == "color",
        };
        is_known && !self.value.chars().any(char::is_control)
    }

    fn is_kept(&self) -> bool {
        let plain = |text: &str| !text.chars().any(char::is_control);
        let known = match &self.subsection {
            None => KEPT_SETTINGS.contains(&format!("{}.{}", self.section, self.name).as_str()),
            Some(of) => plain(of) && KEPT_OF_EACH.contains(&(&self.section, &self.name)),
        };
        known && plain(&self.value)
    }

    fn write_to(&self, out: &mut String) {
        let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
        let of = self.subsection.as_deref().map(|of| format!(" \"{}\"", quoted(of))).unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = writeln!(out, "[{}{of}]\n\t{} = \"{}\"", self.section, self.name, quoted(&self.value));
    }
}

/// Reads a settings file. A line that is none is passed over.
fn read_settings(text: &str) -> Vec<GitSetting> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    let mut reader = ConfigReader { rest: text.chars().peekable() };
    let mut settings = Vec::new();
    let mut section = (String::new(), None);
    while let Some(&next) = reader.rest.peek() {
        match next {
            c if c.is_whitespace() => drop(reader.rest.next()),
            '[' => match reader.read_section() {
                Some(read) => section = read,
                None => reader.skip_line(),
            },
            c if c.is_ascii_alphabetic() => {
                let name = reader.read_word().to_lowercase();
                match reader.read_value() {
                    Some(value) => {
                        let (section, subsection) = section.clone();
                        settings.push(GitSetting { section, subsection, name, value });
                    }
                    None => reader.skip_line(),
                }
            }
            _ => reader.skip_line(),
        }
    }
    settings
}

struct ConfigReader<'t> {
    rest: Peekable<Chars<'t>>,
}

impl ConfigReader<'_> {
    /// The next character of this line.
    fn in_line(&mut self) -> Option<char> {
        self.rest.next_if(|c| *c != '\n')
    }

    fn skip_line(&mut self) {
        self.rest.by_ref().find(|c| *c == '\n');
    }

    fn skip_blanks(&mut self) {
        while self.rest.next_if(|c| *c == ' ' || *c == '\t').is_some() {}
    }

    fn read_word(&mut self) -> String {
        let mut word = String::new();
        while let Some(c) = self.rest.next_if(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.')) {
            word.push(c);
        }
        word
    }

    /// A section's name, and what it is of: `[branch "main"]`, or in the old form `[branch.main]`.
    fn read_section(&mut self) -> Option<(String, Option<String>)> {
        self.rest.next();
        let name = self.read_word().to_lowercase();
        self.skip_blanks();
        let section = match self.in_line()? {
            ']' => match name.split_once('.') {
                Some((name, of)) => (name.to_owned(), Some(of.to_owned())),
                None => (name, None),
            },
            '"' => {
                let of = self.read_subsection()?;
                (self.in_line()? == ']').then_some((name, Some(of)))?
            }
            _ => return None,
        };
        Some(section)
    }

    fn read_subsection(&mut self) -> Option<String> {
        let mut of = String::new();
        loop {
            match self.in_line()? {
                '"' => return Some(of),
                '\\' => of.push(self.in_line()?),
                c => of.push(c),
            }
        }
    }

    /// The value after a name. A name alone means true. Nothing where the line is none.
    fn read_value(&mut self) -> Option<String> {
        self.skip_blanks();
        match self.in_line() {
            Some('=') => {}
            None => return Some("true".to_owned()),
            Some('#' | ';') => {
                self.skip_line();
                return Some("true".to_owned());
            }
            Some(_) => return None,
        }
        self.skip_blanks();
        let (mut value, mut is_quoted) = (String::new(), false);
        // The length of the value without the blanks at its end.
        let mut end = 0;
        while let Some(c) = self.in_line() {
            match c {
                '#' | ';' if !is_quoted => {
                    self.skip_line();
                    break;
                }
                '"' => is_quoted = !is_quoted,
                '\\' => value.extend(unescape_char(self.rest.next()?)?),
                c => value.push(c),
            }
            if is_quoted || !c.is_whitespace() {
                end = value.len();
            }
        }
        value.truncate(end);
        (!is_quoted).then_some(value)
    }
}

/// Returns the character that a backslash escapes; none at the end of a line that goes on.
fn unescape_char(c: char) -> Option<Option<char>> {
    match c {
        '\n' => Some(None),
        't' => Some(Some('\t')),
        'n' => Some(Some('\n')),
        'b' => Some(Some('\u{8}')),
        '"' | '\\' => Some(Some(c)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let told = |setting: GitSetting| {
            let of = setting.subsection.map(|of| format!(".{of}")).unwrap_or_default();
            format!("{}{of}.{}={}", setting.section, setting.name, setting.value)
        };
        read_settings(text).into_iter().map(told).collect()
    }

    #[test]
    fn settings_are_read_as_git_reads_them() {
        let text = "\u{feff}# comment\n[Core]\r\n\tFileMode = false ; no\n bare\n[branch \"a\\\"b ]\"]\n\
                    remote = or\" # ;\"igin\\\n  x  # y\nmerge=\"refs/heads/\\\\\"\n[branch.Old] merge = m\n\
                    [broken\nkey = v\n[remote \"o\"] fetch = +a:b\n[x]\n= no\nbad ! line\nlast = \\t1";
        let expected = [
            "core.filemode=false",
            "core.bare=true",
            "branch.a\"b ].remote=or # ;igin  x",
            "branch.a\"b ].merge=refs/heads/\\",
            "branch.old.merge=m",
            "branch.old.key=v",
            "remote.o.fetch=+a:b",
            "x.last=\t1",
        ];
        assert_eq!(found(text), expected);
    }

    #[test]
    fn only_what_says_how_files_are_stored_is_kept() {
        let text = "[core]\nrepositoryformatversion = 1\nfsmonitor = touch x\nhooksPath = h\nworktree = /\nbare = true\n\
                    pager = p\nsshCommand = s\nattributesFile = a\nexcludesFile = e\ngitProxy = g\neditor = e\nautocrlf = input\n\
                    [filter \"f\"]\nclean = c\nprocess = p\n[diff \"d\"]\ntextconv = t\ncommand = c\n[diff]\nexternal = e\n\
                    [alias]\nstatus = !x\n[include]\npath = other\n[includeIf \"gitdir:/\"]\npath = other\n[gpg]\nprogram = p\n\
                    [log]\nshowSignature = true\n[pager]\nlog = p\n[extensions]\nobjectFormat = sha256\nworktreeConfig = true\n\
                    [branch \"a\\\\\\\"\"]\nremote = o\nrebase = true\npushRemote = p\n[remote \"o\"]\nurl = ext::x\nuploadpack = u\n\
                    fetch = \"+refs/heads/*:refs/remotes/o/*\"\nvcs = v\n[submodule \"s\"]\nupdate = !x\n[credential]\nhelper = !x\n";
        let expected = "[core]\n\tbare = false\n[core]\n\trepositoryformatversion = \"1\"\n[core]\n\tautocrlf = \"input\"\n\
                        [extensions]\n\tobjectformat = \"sha256\"\n[branch \"a\\\\\\\"\"]\n\tremote = \"o\"\n\
                        [remote \"o\"]\n\tfetch = \"+refs/heads/*:refs/remotes/o/*\"\n";
        assert_eq!(kept_settings(text).unwrap(), expected);
        assert_eq!(read_settings(expected).len(), 6, "what is written is read again");
        assert_eq!(kept_settings("[extensions]\n later = 1").unwrap_err(), "later");
        let sneaked = "[branch \"x\"]\nmerge = \"a\\n[core]\\nfsmonitor=x\"\n";
        assert_eq!(
            kept_settings(sneaked).unwrap(),
            "[core]\n\tbare = false\n",
            "no value begins a line of its own"
        );
    }
}
