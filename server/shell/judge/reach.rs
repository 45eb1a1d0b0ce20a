//! Commands of the network that reach this machine alone: its loopback device, or a repository by its path.

use super::CommandRules;
use super::script_folders::ScriptFolders;
use crate::command::ShellCommand;
use crate::programs;
use crate::word::ShellWord;
use crate::wrapper::git;

/// Programs whose operands are addresses.
const BY_OPERANDS: [&str; 16] = [
    "curl", "wget", "wget2", "http", "https", "xh", "nc", "ncat", "netcat", "telnet", "ping", "ping6",
    "websocat", "grpcurl", "lynx", "w3m",
];
/// Programs that are given a host by an option.
const BY_OPTIONS: [(&str, &[&str]); 4] = [
    ("redis-cli", &["-h", "-u"]),
    ("mysql", &["-h", "--host"]),
    ("psql", &["-h", "--host"]),
    ("openssl", &["-connect", "-host"]),
];
/// Options that lead elsewhere, or name addresses that are not looked at.
const DIVERTING: [&str; 20] = [
    "-x",
    "--proxy",
    "--preproxy",
    "--socks",
    "--socks4",
    "--socks4a",
    "--socks5",
    "--socks5-hostname",
    "-K",
    "--config",
    "--connect-to",
    "--resolve",
    "--doh-url",
    "--url",
    "-i",
    "--input-file",
    "-e",
    "--execute",
    "--base",
    "-g",
];
/// Options of git whose value is the next word.
const GIT_VALUES: [&str; 12] = [
    "-b",
    "--branch",
    "--depth",
    "-o",
    "--origin",
    "-j",
    "--jobs",
    "--reference",
    "--name",
    "-s",
    "--strategy",
    "-X",
];
/// Bytes of the longest settings of a repository that are read.
const LONGEST: usize = 1 << 20;

impl CommandRules<'_> {
    /// Returns whether a command that would be asked about because of the network stays on this machine.
    pub(super) fn stays_here(&self, program: &str, command: &ShellCommand, folders: &ScriptFolders) -> bool {
        let words = command.arguments();
        if program == "git" {
            return self.git_stays_here(git::git_line(command).rest, folders);
        }
        if let Some((_, options)) = BY_OPTIONS.iter().find(|(name, _)| *name == program) {
            let hosts: Vec<&ShellWord> =
                options.iter().filter_map(|option| value_of(words, option)).collect();
            return !hosts.is_empty() && hosts.iter().all(|host| is_loopback(host));
        }
        let is_diverting = |word: &ShellWord| {
            let name = word.text.split('=').next().unwrap_or_default();
            DIVERTING.contains(&name) && !(matches!(program, "ping" | "curl" | "http") && name == "-i")
        };
        if !BY_OPERANDS.contains(&program) || words.iter().any(is_diverting) {
            return false;
        }
        let operands = programs::find_operands(program, words);
        let is_address = |word: &&ShellWord| {
            let is_port = word.text.chars().all(|c| c.is_ascii_digit());
            let is_of_http = matches!(program, "http" | "https" | "xh")
                && (word.text.chars().all(|c| c.is_ascii_uppercase()) || word.text.contains(['=', ' ']));
            !is_port && !is_of_http
        };
        let addresses: Vec<&ShellWord> = operands.iter().map(|(word, _)| *word).filter(is_address).collect();
        !addresses.is_empty() && addresses.iter().all(|word| is_loopback(word))
    }

    fn git_stays_here(&self, rest: &[ShellWord], folders: &ScriptFolders) -> bool {
        let Some((sub, arguments)) = rest.split_first() else { return false };
        if arguments.iter().any(|word| word.text.starts_with("--upload-pack") || word.text == "-u") {
            return false;
        }
        let operands = git_operands(arguments);
        let first = operands.first().copied();
        match (sub.text.as_str(), first.map(|word| word.text.as_str())) {
            ("clone", Some(_)) => first.is_some_and(|word| self.is_local_path(word, folders)),
            ("fetch" | "pull" | "ls-remote", Some(_)) => {
                first.is_some_and(|word| self.is_local_remote(word, folders))
            }
            ("fetch" | "pull" | "ls-remote", None) => self.are_local("remote", folders),
            ("remote", Some("update" | "show" | "prune")) => self.are_local("remote", folders),
            ("submodule", Some("add")) => {
                operands.get(1).is_some_and(|word| self.is_local_path(word, folders))
            }
            ("submodule", Some("update" | "sync")) => self.are_local("submodule", folders),
            _ => false,
        }
    }

    /// Returns whether a word names a repository by a path: one that begins as a path does, or that exists.
    fn is_local_path(&self, word: &ShellWord, folders: &ScriptFolders) -> bool {
        let Some(text) = word.plain_text() else { return false };
        let stands = || folders.absolute_paths(text).iter().any(|path| self.paths.path_exists(path));
        is_path(text) || !text.contains(':') && stands()
    }

    fn is_local_remote(&self, word: &ShellWord, folders: &ScriptFolders) -> bool {
        let Some(text) = word.plain_text() else { return false };
        if is_path(text) {
            return true;
        }
        let urls = self.repository_urls(folders, "remote");
        urls.is_some_and(|urls| {
            urls.iter().any(|(name, _)| name == text)
                && urls.iter().filter(|(name, _)| name == text).all(|(_, url)| is_path(url))
        })
    }

    /// Returns whether all remotes, or all submodules, of the repository are paths.
    fn are_local(&self, kind: &str, folders: &ScriptFolders) -> bool {
        self.repository_urls(folders, kind)
            .is_some_and(|urls| !urls.is_empty() && urls.iter().all(|(_, url)| is_path(url)))
    }

    /// The URLs of one kind in the settings of the repository that the command works in, each with its name. Nothing where
    /// they stand for others.
    fn repository_urls(&self, folders: &ScriptFolders, kind: &str) -> Option<Vec<(String, String)>> {
        let text = folders
            .folders_above()
            .find_map(|folder| self.paths.read_text(&format!("{folder}/.git/config")))?;
        if text.len() > LONGEST || text.to_ascii_lowercase().contains("insteadof") {
            return None;
        }
        let (mut name, mut urls) = (None, Vec::new());
        for line in text.lines().map(str::trim) {
            if let Some(section) = line.strip_prefix('[') {
                let section = section
                    .trim_end_matches(']')
                    .split_once(' ')
                    .filter(|(own, _)| own.eq_ignore_ascii_case(kind));
                name = section.map(|(_, name)| name.trim().trim_matches('"').to_owned());
            } else if let (Some(name), Some((key, value))) = (&name, line.split_once('='))
                && matches!(key.trim().to_ascii_lowercase().as_str(), "url" | "pushurl")
            {
                urls.push((name.clone(), value.trim().trim_matches('"').to_owned()));
            }
        }
        Some(urls)
    }
}

/// The operands of a subcommand of git.
fn git_operands(words: &[ShellWord]) -> Vec<&ShellWord> {
    let mut is_value = false;
    let is_operand = |word: &&ShellWord| {
        let was_value = std::mem::replace(&mut is_value, GIT_VALUES.contains(&word.text.as_str()));
        !was_value && !word.is_option()
    };
    words.iter().filter(is_operand).collect()
}

/// Returns whether git takes a text for a path, even if nothing exists at it.
fn is_path(text: &str) -> bool {
    text.starts_with(['/', '.', '~']) || text.starts_with("file://")
}

/// Returns the value of an option: the next word, or the rest of the option's word.
fn value_of<'w>(words: &'w [ShellWord], option: &str) -> Option<&'w ShellWord> {
    let at = words.iter().position(|word| {
        word.text == option || word.text.strip_prefix(option).is_some_and(|rest| rest.starts_with('='))
    })?;
    if words[at].text == option { words.get(at + 1) } else { words.get(at) }
}

/// Returns whether all possible texts of a word are addresses of the loopback device.
fn is_loopback(word: &ShellWord) -> bool {
    word.possible_texts().all(|text| {
        let text =
            text.split_once('=').filter(|(name, _)| name.starts_with('-')).map_or(text, |(_, value)| value);
        is_loopback_address(text)
    })
}

pub(super) fn is_loopback_address(text: &str) -> bool {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = match host.strip_prefix('[') {
        Some(inside) => inside.split(']').next().unwrap_or_default(),
        None if host.matches(':').count() > 1 => host,
        None => host.split(':').next().unwrap_or_default(),
    };
    let is_number = |host: &str| {
        let parts: Vec<&str> = host.split('.').collect();
        parts.len() == 4 && parts[0] == "127" && parts.iter().all(|part| part.parse::<u8>().is_ok())
    };
    let is_short = host.is_empty() && text.starts_with(':') && text.len() > 1;
    matches!(host, "localhost" | "::1" | "0.0.0.0")
        || host.ends_with(".localhost")
        || is_number(host)
        || is_short
}
