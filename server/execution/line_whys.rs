//! Explains the lines of a file: the reasons that were recorded of them, and the commits that git has.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use super::CommandExecutor;
use super::git::{GitBlame, GitReader, LineNotes};
use crate::base::WorkspacePath;
use crate::base::hidden::shorten_to_line;
use crate::protocol::{Code, Fault, LineBy, LineCall, LineGroup, LineNote, LineWhys};
use crate::provenance::{DecisionRecord, LineMark, LineOrigin, WrittenBy, find_noted, line_hash};
use crate::session::{CallScope, KnownLines};

/// The lines that are asked about.
#[derive(Clone, Debug)]
pub(crate) struct WhyRequest {
    /// The file.
    pub(crate) path: WorkspacePath,
    /// The first line, counted from 1.
    pub(crate) start: u32,
    /// The last line; the last of the file where it is left out.
    pub(crate) end: Option<u32>,
    /// True where the commits are wanted too.
    pub(crate) has_commits: bool,
    /// The text to explain, where that is not the file's current one: only the records of this machine describe its
    /// lines.
    pub(crate) text: Option<String>,
}

/// Explains why the lines of a file are as they are.
///
/// # Errors
/// NOT_FOUND where there is no such file or line, UNSUPPORTED for what is no text, PERMISSION_DENIED by a rule.
pub(crate) async fn line_whys(
    executor: &CommandExecutor,
    scope: &CallScope,
    request: &WhyRequest,
) -> Result<LineWhys, Fault> {
    let path = &request.path;
    let now = scope.read_text(path)?.map(|snapshot| snapshot.text);
    let text = request.text.as_ref().or(now.as_ref()).ok_or_else(|| {
        Fault::new(Code::NotFound, format!("there is no file {path}"))
            .with_suggestion("look for it with fs.ls")
    })?;
    let mut known = scope.line_records().known_lines(path, text);
    if request.text.is_some() {
        forget_gone(&mut known, text, now.as_deref().unwrap_or_default());
    }
    let total = known.marks.len();
    let size = |size: usize| u32::try_from(size).unwrap_or(u32::MAX);
    let end = request.end.unwrap_or(size(total)).min(size(total));
    if request.start == 0 || (request.start > end && total > 0) {
        let message = format!("{path} has no line {}; it has {total}", request.start);
        return Err(
            Fault::new(Code::NotFound, message).with_suggestion(format!("ask for lines 1 to {total}"))
        );
    }
    let mut warnings = Vec::new();
    let reader = match &request.text {
        Some(_) => None,
        None => GitReader::open(executor, scope, std::slice::from_ref(path)).ok(),
    };
    let git = match &reader {
        Some(reader) if request.has_commits => match reader.blame_lines(path, text, false).await {
            Ok(blame) => Some(with_indented(reader, path, text, (&known, blame)).await),
            Err(error) if reader.is_tracked(path).await => {
                warnings.push(format!("git does not say which commits the lines are of: {error}"));
                Some(GitBlame::default())
            }
            Err(_) => None,
        },
        Some(reader) => reader.is_tracked(path).await.then(GitBlame::default),
        None => None,
    };
    let has_commits = git.as_ref().is_some_and(|git| !git.lines.is_empty());
    let (mut notes, mut noted) = (LineNotes::default(), NotedLines::default());
    if let (Some(reader), Some(git)) = (&reader, &git) {
        let commits = commits_of_open(&known, git, (request.start - 1) as usize..end as usize);
        notes = reader.line_notes(&commits).await.unwrap_or_default();
        noted = NotedLines::find_notes(&notes.notes, git, text);
    }
    warnings.append(&mut notes.warnings);
    let mut groups = LineGroups {
        known: &known,
        git: git.as_ref(),
        has_commits,
        noted: &noted,
        calls: Vec::new(),
        places: HashMap::new(),
        groups: Vec::new(),
    };
    (request.start..=end).for_each(|line| groups.add_line(line));
    let LineGroups { groups, calls, .. } = groups;
    let named = |hash: &String| groups.iter().any(|group| group.commit.as_ref() == Some(hash));
    let commits = { git.into_iter() }
        .flat_map(|git| git.commits)
        .filter(|(hash, _)| named(hash))
        .map(|(hash, (commit, _))| (hash, commit))
        .collect();
    let mut altered = BTreeMap::new();
    if request.text.is_none() {
        let logs = scope
            .line_records()
            .altered_logs(&calls.iter().map(|call| call.session.as_str()).collect())
            .await;
        altered = logs.altered;
        warnings.extend(logs.unread.iter().map(|session| {
            let session = shorten_to_line(session, 80);
            format!("whether the log of session {session} was altered is not known yet: it is being read")
        }));
    }
    Ok(LineWhys { path: path.clone(), total: size(total), groups, calls, commits, altered, warnings })
}

/// The blame with the commits of lines that were there before anything was recorded and that were indented since.
async fn with_indented(
    reader: &GitReader<'_>,
    path: &WorkspacePath,
    text: &str,
    (known, mut blame): (&KnownLines, GitBlame),
) -> GitBlame {
    let is_open =
        |mark: &LineMark, commit: &Option<String>| mark.by == WrittenBy::Earlier && commit.is_none();
    if !known.marks.iter().zip(&blame.lines).any(|(mark, line)| is_open(mark, &line.commit)) {
        return blame;
    }
    let Ok(past_spaces) = reader.blame_lines(path, text, true).await else { return blame };
    for ((mark, line), other) in known.marks.iter().zip(&mut blame.lines).zip(past_spaces.lines) {
        if is_open(mark, &line.commit) {
            *line = other;
        }
    }
    for (hash, commit) in past_spaces.commits {
        blame.commits.entry(hash).or_insert(commit);
    }
    blame
}

/// Of a line of an earlier text that is gone by now it is not known that a person wrote it: it may have been anybody's.
fn forget_gone(known: &mut KnownLines, text: &str, now: &str) {
    let there: HashSet<u64> = now.split_inclusive('\n').map(line_hash).collect();
    for (mark, line) in known.marks.iter_mut().zip(text.split_inclusive('\n')) {
        if mark.by == WrittenBy::Human && !there.contains(&line_hash(line)) {
            mark.by = WrittenBy::Unknown;
        }
    }
}

/// Returns whether the note of a line's commit may tell more than is recorded here: the text may have come by git, from
/// where no call of this machine made it, or changed a line of one.
fn is_open(mark: &LineMark) -> bool {
    mark.origin.is_none() || mark.by == WrittenBy::Mixed
}

/// The commits of lines whose notes may tell more.
fn commits_of_open(known: &KnownLines, git: &GitBlame, lines: Range<usize>) -> Vec<String> {
    let mut commits: Vec<String> = { known.marks.iter().zip(&git.lines).take(lines.end).skip(lines.start) }
        .filter(|(mark, _)| is_open(mark))
        .filter_map(|(_, blamed)| blamed.commit.clone())
        .collect();
    commits.sort_unstable();
    commits.dedup();
    commits
}

/// The lines of a text as the notes of their commits attribute them.
#[derive(Debug, Default)]
struct NotedLines<'n>(HashMap<usize, (LineBy, Option<&'n LineCall>)>);

impl<'n> NotedLines<'n> {
    fn find_notes(notes: &'n BTreeMap<String, Vec<LineNote>>, git: &GitBlame, text: &str) -> Self {
        let texts: Vec<&str> = text.split_inclusive('\n').collect();
        let mut found = HashMap::new();
        for (commit, notes) in notes {
            let Some((_, path)) = git.commits.get(commit) else { continue };
            let mut lines: Vec<(usize, (u32, &str))> = { git.lines.iter().zip(&texts).enumerate() }
                .filter(|(_, (blamed, _))| blamed.commit.as_ref() == Some(commit))
                .map(|(at, (blamed, text))| (at, (blamed.line, *text)))
                .collect();
            lines.sort_by_key(|(_, (line, _))| *line);
            let (places, lines): (Vec<usize>, Vec<(u32, &str)>) = lines.into_iter().unzip();
            for note in notes {
                let noted = note.lines_of(path);
                let known: Vec<(u32, u32)> = noted.iter().map(|line| (line.line, line.hash)).collect();
                for (place, at) in places.iter().zip(find_noted(&known, &lines)) {
                    if let Some(line) = at.and_then(|at| noted.get(at)) {
                        found.entry(*place).or_insert((line.by, line.call));
                    }
                }
            }
        }
        Self(found)
    }
}

/// The groups of an answer, as they grow.
struct LineGroups<'k> {
    known: &'k KnownLines,
    git: Option<&'k GitBlame>,
    has_commits: bool,
    noted: &'k NotedLines<'k>,
    calls: Vec<LineCall>,
    places: HashMap<u32, u32>,
    groups: Vec<LineGroup>,
}

impl LineGroups<'_> {
    fn add_line(&mut self, line: u32) {
        let at = (line - 1) as usize;
        let Some(mark) = self.known.marks.get(at).copied() else { return };
        let blamed = self.git.and_then(|git| git.lines.get(at));
        let commit = blamed.and_then(|blamed| blamed.commit.clone());
        let commit_line = blamed.filter(|blamed| blamed.commit.is_some()).map(|blamed| blamed.line);
        let by = match mark.by {
            WrittenBy::Agent => LineBy::Agent,
            WrittenBy::Mixed => LineBy::Mixed,
            WrittenBy::Human => LineBy::Human,
            // Git has the file, and not this line: no call of wherefore made it.
            WrittenBy::Earlier if self.has_commits && commit.is_none() => LineBy::Human,
            WrittenBy::Earlier if self.git.is_some() => LineBy::Git,
            WrittenBy::Earlier => LineBy::Unknown,
            WrittenBy::Unknown if commit.is_some() => LineBy::Git,
            WrittenBy::Unknown => LineBy::Unknown,
        };
        let noted = self.noted.0.get(&at).filter(|_| is_open(&mark) && commit.is_some());
        let (by, call) = match noted {
            Some((by, call)) => (*by, call.and_then(|call| self.noted_call(call))),
            None => (by, mark.origin.and_then(|origin| self.call_index(origin))),
        };
        if let Some(last) = self.groups.last_mut()
            && last.end + 1 == line
            && (last.by, last.call, &last.commit) == (by, call, &commit)
            && last.commit_line.map(|from| from + line - last.start) == commit_line
        {
            last.end = line;
            return;
        }
        self.groups.push(LineGroup { start: line, end: line, by, call, commit, commit_line });
    }

    /// The place of a note's call in the answer.
    fn noted_call(&mut self, call: &LineCall) -> Option<u32> {
        let known = self.calls.iter().position(|known| known == call);
        let at = known.unwrap_or_else(|| {
            self.calls.push(call.clone());
            self.calls.len() - 1
        });
        u32::try_from(at).ok()
    }

    /// The place of a call in the answer.
    fn call_index(&mut self, origin: u32) -> Option<u32> {
        if let Some(at) = self.places.get(&origin) {
            return Some(*at);
        }
        let at = self.known.origins.binary_search_by_key(&origin, |(at, _, _)| *at).ok()?;
        let (_, origin_of, decision) = self.known.origins.get(at)?;
        let place = u32::try_from(self.calls.len()).ok()?;
        self.calls.push(line_call(origin_of, decision.as_ref()));
        self.places.insert(origin, place);
        Some(place)
    }
}

/// Returns the record of a call for an answer.
fn line_call(origin: &LineOrigin, decision: Option<&DecisionRecord>) -> LineCall {
    let known = LineCall {
        session: origin.session.clone(),
        call: origin.call.clone(),
        hunk: origin.hunk.clone(),
        ..LineCall::default()
    };
    let Some(decision) = decision else { return known };
    let hunk = match &origin.hunk {
        Some(hunk) => decision.hunks.iter().find(|decided| decided.id == *hunk),
        None => decision.hunks.first(),
    };
    LineCall {
        tool: Some(decision.tool.clone()),
        agent: decision.agent.clone(),
        why: Some(decision.why.clone()),
        decision: hunk.map(|hunk| hunk.state.clone()),
        decided_by: Some(decision.by.clone()),
        reason: hunk.and_then(|hunk| hunk.reason.clone()),
        time: Some(decision.time.clone()),
        ..known
    }
}
