//! The note of a commit, from what is recorded here and from the notes of the commits that it comes from.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::Timestamp;

use super::added::AddedLines;
use super::forms::{self, FormedCommit};
use super::repository::Repository;
use crate::cli::backend::RequestTarget;
use crate::protocol::{Code, Fault, LineBy, LineCall, LineNote, LineWhys, NotedLine};
use crate::provenance::{find_noted, note_hash};
use crate::redact::redact;
use crate::requests::Why;
use crate::requests::why::WhyParams;
use crate::workspace::config;

/// A commit that is to be noted.
#[derive(Clone, Copy, Debug)]
pub(super) struct CommitToNote<'c> {
    /// Its hash.
    pub(super) commit: &'c str,
    /// The commits that it comes from, by hash: earlier forms of it, or those that were joined in it. The last one first.
    pub(super) sources: &'c [String],
    /// Whether lines of which no call is known may be of the person at this machine. Not in a commit of somebody else.
    pub(super) is_own: bool,
    /// Whether what is recorded here is asked for only where the notes of the sources leave lines open.
    pub(super) is_copy: bool,
}

/// What became of a note.
#[derive(Debug)]
pub(super) struct NotedCommit {
    /// The note that was written; none where nothing is known of the commit's lines.
    pub(super) note: Option<LineNote>,
    /// The files that it has no room for.
    pub(super) left_out: usize,
}

/// Who wrote a line, and for which call.
type KnownLine = (LineBy, Option<LineCall>);

/// Writes notes of a repository.
#[derive(Debug)]
pub(super) struct NoteWriter<'w> {
    repository: Repository<'w>,
    root: &'w str,
    /// Who knows what is recorded; opened where it is needed.
    target: Option<RequestTarget>,
}

impl<'w> NoteWriter<'w> {
    /// A writer for the workspace at `root`.
    pub(super) fn new(repository: Repository<'w>, root: &'w str) -> Self {
        Self { repository, root, target: None }
    }

    /// Writes the note of a commit.
    ///
    /// # Errors
    /// What git or the server says.
    pub(super) fn write(&mut self, asked: CommitToNote<'_>) -> Result<NotedCommit, Fault> {
        let mut from = vec![asked.commit.to_owned()];
        from.extend_from_slice(asked.sources);
        let notes = self.repository.notes(&from)?.notes;
        let sources: Vec<&LineNote> = from.iter().filter_map(|commit| notes.get(commit)).flatten().collect();
        if asked.is_copy && sources.is_empty() {
            return Ok(NotedCommit { note: None, left_out: 0 });
        }
        let mut note = LineNote::new();
        let added = self.repository.added(asked.commit)?;
        let told: BTreeMap<&str, BTreeMap<u32, KnownLine>> =
            added.iter().map(|(path, lines)| (path.as_str(), told(&sources, path, lines))).collect();
        let is_open = |path: &&str| {
            !asked.is_copy || told.get(path).map(BTreeMap::len) != added.get(*path).map(AddedLines::len)
        };
        let open: Vec<&str> = told.keys().copied().filter(is_open).collect();
        let texts = self.repository.texts(asked.commit, &open);
        for (path, lines) in &added {
            let recorded = match texts.get(path) {
                Some(text) => self.recorded(path, text)?,
                None => Some(BTreeMap::new()),
            };
            // What the rules close has no place in a note.
            let Some(recorded) = recorded else { continue };
            for (line, text) in lines {
                let told = told.get(path.as_str()).and_then(|told| told.get(line));
                let here = recorded.get(line);
                let has_call = |known: &&KnownLine| known.1.is_some();
                let own = here.filter(|_| asked.is_own);
                let known = here.filter(has_call).or(told).or(own);
                if let Some((by, call)) = known.filter(|_| !holds_secret(text)) {
                    let call = call.as_ref();
                    note.add(path, NotedLine { line: *line, hash: note_hash(text), by: *by, call });
                }
            }
        }
        let (text, left_out) = fitted(&mut note)?;
        if note.files.is_empty() {
            return Ok(NotedCommit { note: None, left_out });
        }
        self.repository.note(asked.commit, &text)?;
        self.write_other_forms(&note, asked.commit)?;
        Ok(NotedCommit { note: Some(note), left_out })
    }

    /// Writes the note in the forms that the person's settings name.
    fn write_other_forms(&self, note: &LineNote, commit: &str) -> Result<(), Fault> {
        let Some(settings) = config::at(Some(Path::new(self.root))).notes else { return Ok(()) };
        let said = self.repository.ask(&["log", "--no-walk", "--format=%ct%n%cn <%ce>", commit])?;
        let (time, committer) = said.trim_end().split_once('\n').unwrap_or_default();
        let time = time.parse().ok().and_then(|time| Timestamp::from_second(time).ok()).unwrap_or_default();
        let of = FormedCommit { commit, committer, time: &time.to_string() };
        if settings.git_ai
            && let Some(text) = forms::git_ai(note, &of)
            && self.repository.is_ours("ai", commit)
        {
            self.repository.put_note("ai", commit, &text)?;
        }
        if settings.agent_trace {
            self.repository.put_note("agent-trace", commit, &forms::agent_trace(note, &of).to_string())?;
        }
        Ok(())
    }

    /// What is recorded here of the lines of a text that was committed at `path`; none where the rules close the file.
    fn recorded(&mut self, path: &str, text: &str) -> Result<Option<BTreeMap<u32, KnownLine>>, Fault> {
        let params = WhyParams { path: path.to_owned(), text: Some(text.to_owned()), ..WhyParams::default() };
        let target = match &mut self.target {
            Some(target) => target,
            none => none.insert(RequestTarget::open(self.root)?),
        };
        match target.ask::<Why>(params) {
            Ok(whys) => Ok(Some(by_line(&whys))),
            Err(fault) if fault.code == Code::PermissionDenied => Ok(None),
            Err(fault) if matches!(fault.code, Code::NotFound | Code::Unsupported | Code::InvalidArgs) => {
                Ok(Some(BTreeMap::new()))
            }
            Err(fault) => Err(fault),
        }
    }
}

/// What an answer says of each line, where it is more than that git has it.
fn by_line(whys: &LineWhys) -> BTreeMap<u32, KnownLine> {
    let mut lines = BTreeMap::new();
    for group in whys.groups.iter().filter(|group| !matches!(group.by, LineBy::Git | LineBy::Unknown)) {
        let call = group.call.and_then(|at| whys.calls.get(at as usize));
        lines.extend((group.start..=group.end).map(|line| (line, (group.by, call.cloned()))));
    }
    lines
}

/// What notes say of the lines that a commit adds to a file.
fn told(sources: &[&LineNote], path: &str, lines: &AddedLines) -> BTreeMap<u32, KnownLine> {
    let lines: Vec<(u32, &str)> = lines.iter().map(|(line, text)| (*line, text.as_str())).collect();
    let mut told = BTreeMap::new();
    for note in sources {
        let noted = note.lines(path);
        let known: Vec<(u32, u32)> = noted.iter().map(|line| (line.line, line.hash)).collect();
        for ((line, _), at) in lines.iter().zip(find_noted(&known, &lines)) {
            if let Some(found) = at.and_then(|at| noted.get(at)) {
                told.entry(*line).or_insert_with(|| (found.by, found.call.map(clean)));
            }
        }
    }
    told
}

/// A call that another machine may have written, with secrets taken out.
fn clean(call: &LineCall) -> LineCall {
    let mut call = call.clone();
    let texts = [&mut call.agent, &mut call.why, &mut call.decision, &mut call.decided_by, &mut call.reason];
    for text in texts.into_iter().flatten() {
        *text = redact(text).into_owned();
    }
    call
}

/// Of a line that holds a secret not even the hash is told.
fn holds_secret(text: &str) -> bool {
    redact(text) != text
}

/// The text of a note, without the largest files where it is too long for others to read, and how many those are.
fn fitted(note: &mut LineNote) -> Result<(String, usize), Fault> {
    let mut left_out = 0;
    loop {
        if let Some(text) = note.text() {
            return Ok((text, left_out));
        }
        let size = |lines: &Vec<_>| {
            lines.iter().map(|(.., hashes): &(_, _, _, String)| hashes.len() + 32).sum::<usize>()
        };
        let largest = note.files.iter().max_by_key(|(_, lines)| size(lines)).map(|(path, _)| path.clone());
        let Some(largest) = largest else {
            return Err(Fault::new(Code::Unsupported, "the calls alone are too much for one note")
                .suggest("notes are for commits of fewer changes"));
        };
        note.files.remove(&largest);
        left_out += 1;
    }
}
