//! The note of a commit, made from the records of this machine and from the notes of its source commits.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::Timestamp;

use super::added_lines::AddedLines;
use super::forms::{self, CommitIdentity};
use super::repository::GitRepository;
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
    /// True if lines without a known call may be the person's at this machine. False for a commit of somebody else.
    pub(super) is_own: bool,
    /// True if the records of this machine are asked for only the lines that the notes of the sources leave open.
    pub(super) is_copy: bool,
}

/// The result of writing a note.
#[derive(Debug)]
pub(super) struct NoteOutcome {
    /// The note that was written; none if nothing is known of the commit's lines.
    pub(super) note: Option<LineNote>,
    /// The files that it has no room for.
    pub(super) left_out: usize,
}

/// Who wrote a line, and for which call.
type KnownLine = (LineBy, Option<LineCall>);

/// Writes notes of a repository.
#[derive(Debug)]
pub(super) struct NoteWriter<'w> {
    repository: GitRepository<'w>,
    root: &'w str,
    /// The source of the recorded lines; opened when it is needed.
    target: Option<RequestTarget>,
}

impl<'w> NoteWriter<'w> {
    /// A writer for the workspace at `root`.
    pub(super) fn new(repository: GitRepository<'w>, root: &'w str) -> Self {
        Self { repository, root, target: None }
    }

    /// Writes the note of a commit.
    ///
    /// # Errors
    /// The error of git or of the server.
    pub(super) fn write_note(&mut self, asked: CommitToNote<'_>) -> Result<NoteOutcome, Fault> {
        let mut from = vec![asked.commit.to_owned()];
        from.extend_from_slice(asked.sources);
        let notes = self.repository.read_notes(&from)?.notes;
        let sources: Vec<&LineNote> = from.iter().filter_map(|commit| notes.get(commit)).flatten().collect();
        if asked.is_copy && sources.is_empty() {
            return Ok(NoteOutcome { note: None, left_out: 0 });
        }
        let mut note = LineNote::new();
        let added = self.repository.added_by_commit(asked.commit)?;
        let told: BTreeMap<&str, BTreeMap<u32, KnownLine>> =
            added.iter().map(|(path, lines)| (path.as_str(), noted_lines(&sources, path, lines))).collect();
        let is_open = |path: &&str| {
            !asked.is_copy || told.get(path).map(BTreeMap::len) != added.get(*path).map(AddedLines::len)
        };
        let open: Vec<&str> = told.keys().copied().filter(is_open).collect();
        let texts = self.repository.texts_in_commit(asked.commit, &open);
        for (path, lines) in &added {
            let recorded = match texts.get(path) {
                Some(text) => self.recorded_lines(path, text)?,
                None => Some(BTreeMap::new()),
            };
            // Files that the rules close have no lines in a note.
            let Some(recorded) = recorded else { continue };
            for (line, text) in lines {
                let told = told.get(path.as_str()).and_then(|told| told.get(line));
                let here = recorded.get(line);
                let has_call = |known: &&KnownLine| known.1.is_some();
                let own = here.filter(|_| asked.is_own);
                let known = here.filter(has_call).or(told).or(own);
                if let Some((by, call)) = known.filter(|_| !holds_secret(text)) {
                    let call = call.as_ref();
                    note.add_line(path, NotedLine { line: *line, hash: note_hash(text), by: *by, call });
                }
            }
        }
        let (text, left_out) = fit_note(&mut note)?;
        if note.files.is_empty() {
            return Ok(NoteOutcome { note: None, left_out });
        }
        self.repository.write_note(asked.commit, &text)?;
        self.write_other_forms(&note, asked.commit)?;
        Ok(NoteOutcome { note: Some(note), left_out })
    }

    /// Writes the note in the forms that the person's settings name.
    fn write_other_forms(&self, note: &LineNote, commit: &str) -> Result<(), Fault> {
        let Some(settings) = config::settings_at(Some(Path::new(self.root))).notes else { return Ok(()) };
        let said = self.repository.run_git(&["log", "--no-walk", "--format=%ct%n%cn <%ce>", commit])?;
        let (time, committer) = said.trim_end().split_once('\n').unwrap_or_default();
        let time = time.parse().ok().and_then(|time| Timestamp::from_second(time).ok()).unwrap_or_default();
        let of = CommitIdentity { commit, committer, time: &time.to_string() };
        if settings.git_ai
            && let Some(text) = forms::git_ai_log(note, &of)
            && self.repository.is_ours("ai", commit)
        {
            self.repository.put_note("ai", commit, &text)?;
        }
        if settings.agent_trace {
            self.repository.put_note(
                "agent-trace",
                commit,
                &forms::agent_trace_record(note, &of).to_string(),
            )?;
        }
        Ok(())
    }

    /// The recorded lines of a text that was committed at `path`; none if the rules close the file.
    fn recorded_lines(&mut self, path: &str, text: &str) -> Result<Option<BTreeMap<u32, KnownLine>>, Fault> {
        let params = WhyParams { path: path.to_owned(), text: Some(text.to_owned()), ..WhyParams::default() };
        let target = match &mut self.target {
            Some(target) => target,
            none => none.insert(RequestTarget::open(self.root)?),
        };
        match target.ask::<Why>(params) {
            Ok(whys) => Ok(Some(lines_by_number(&whys))),
            Err(fault) if fault.code == Code::PermissionDenied => Ok(None),
            Err(fault) if matches!(fault.code, Code::NotFound | Code::Unsupported | Code::InvalidArgs) => {
                Ok(Some(BTreeMap::new()))
            }
            Err(fault) => Err(fault),
        }
    }
}

/// The recorded origin of each line, where more is known than that git has it.
fn lines_by_number(whys: &LineWhys) -> BTreeMap<u32, KnownLine> {
    let mut lines = BTreeMap::new();
    for group in whys.groups.iter().filter(|group| !matches!(group.by, LineBy::Git | LineBy::Unknown)) {
        let call = group.call.and_then(|at| whys.calls.get(at as usize));
        lines.extend((group.start..=group.end).map(|line| (line, (group.by, call.cloned()))));
    }
    lines
}

/// The origins of the lines that a commit adds to a file, from the notes.
fn noted_lines(sources: &[&LineNote], path: &str, lines: &AddedLines) -> BTreeMap<u32, KnownLine> {
    let lines: Vec<(u32, &str)> = lines.iter().map(|(line, text)| (*line, text.as_str())).collect();
    let mut told = BTreeMap::new();
    for note in sources {
        let noted = note.lines_of(path);
        let known: Vec<(u32, u32)> = noted.iter().map(|line| (line.line, line.hash)).collect();
        for ((line, _), at) in lines.iter().zip(find_noted(&known, &lines)) {
            if let Some(found) = at.and_then(|at| noted.get(at)) {
                told.entry(*line).or_insert_with(|| (found.by, found.call.map(redact_call)));
            }
        }
    }
    told
}

/// A call that another machine may have written, with secrets taken out.
fn redact_call(call: &LineCall) -> LineCall {
    let mut call = call.clone();
    let texts = [&mut call.agent, &mut call.why, &mut call.decision, &mut call.decided_by, &mut call.reason];
    for text in texts.into_iter().flatten() {
        *text = redact(text).into_owned();
    }
    call
}

/// Returns whether a line holds a secret: a note has not even the hash of such a line.
fn holds_secret(text: &str) -> bool {
    redact(text) != text
}

/// The text of a note, without the largest files if it would be too long, and the number of files left out.
fn fit_note(note: &mut LineNote) -> Result<(String, usize), Fault> {
    let mut left_out = 0;
    loop {
        if let Some(text) = note.to_text() {
            return Ok((text, left_out));
        }
        let size = |lines: &Vec<_>| {
            lines.iter().map(|(.., hashes): &(_, _, _, String)| hashes.len() + 32).sum::<usize>()
        };
        let largest = note.files.iter().max_by_key(|(_, lines)| size(lines)).map(|(path, _)| path.clone());
        let Some(largest) = largest else {
            return Err(Fault::new(Code::Unsupported, "the calls alone are too much for one note")
                .with_suggestion("notes are for commits of fewer changes"));
        };
        note.files.remove(&largest);
        left_out += 1;
    }
}
