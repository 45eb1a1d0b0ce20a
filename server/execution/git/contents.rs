//! Which files are not as the commit that is checked out has them, and the bytes of files in a commit.

use super::{GitError, GitReader, arguments};
use crate::base::WorkspacePath;

impl GitReader<'_> {
    /// The commit that is checked out, and each file that is not as it has it: changed, staged or untracked. Nothing where
    /// there are more than git's answer has room for.
    ///
    /// # Errors
    /// Where git cannot be run, or says no; and before the first commit.
    pub(crate) async fn changed_since_commit(
        &self,
    ) -> Result<Option<(String, Vec<WorkspacePath>)>, GitError> {
        let commit = self.commit("HEAD").await?;
        let asked = [
            "status",
            "--porcelain=v1",
            "-z",
            "--no-renames",
            "--untracked-files=all",
            "--ignore-submodules=all",
        ];
        let output = self.run(arguments(&asked), None).await?;
        let entries = output.bytes.split(|byte| *byte == 0).filter(|entry| !entry.is_empty());
        // Two letters and a space stand before the path.
        let paths =
            entries.filter_map(|entry| WorkspacePath::clean(std::str::from_utf8(entry.get(3..)?).ok()?));
        Ok((!output.is_cut).then(|| (commit, paths.collect())))
    }

    /// The bytes that each of `paths` has at a commit; nothing for one that is no file there, that the rules close, or for
    /// which git's answer has no room.
    ///
    /// # Errors
    /// Where git cannot be run, or says no.
    pub(crate) async fn contents(
        &self,
        commit: &str,
        paths: &[WorkspacePath],
    ) -> Result<Vec<Option<Vec<u8>>>, GitError> {
        let is_asked = |path: &&WorkspacePath| {
            !path.as_str().contains('\n') && !self.is_closed(path.as_str().as_bytes())
        };
        let asked: String =
            paths.iter().filter(is_asked).map(|path| format!("{commit}:{}\n", path.as_str())).collect();
        let output = self.run(arguments(&["cat-file", "--batch"]), Some(asked.into_bytes())).await?;
        let mut rest = &output.bytes[..];
        let mut next = || {
            let (found, after) = object(rest)?;
            rest = after;
            found.map(<[u8]>::to_vec)
        };
        Ok(paths.iter().map(|path| if is_asked(&path) { next() } else { None }).collect())
    }
}

/// One object of the answer and what stands after it: its bytes where it is a file's; nothing where the answer ends.
fn object(answer: &[u8]) -> Option<(Option<&[u8]>, &[u8])> {
    let end = answer.iter().position(|byte| *byte == b'\n')?;
    let (header, rest) = (&answer[..end], &answer[end + 1..]);
    let words: Vec<&[u8]> = header.split(|byte| *byte == b' ').collect();
    let [.., kind, size] = words[..] else { return Some((None, rest)) };
    // A name that is not found is told by words alone.
    let Some(size) = std::str::from_utf8(size).ok().and_then(|size| size.parse::<usize>().ok()) else {
        return Some((None, rest));
    };
    let bytes = rest.get(..size)?;
    Some(((kind == b"blob").then_some(bytes), rest.get(size + 1..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_read_one_after_another() {
        let answer =
            b"abc blob 3\na\nb\nHEAD:no such 7 missing\nabc tree 2\nxy\nabc blob 0\n\nabc blob 9\ncut";
        let mut rest = &answer[..];
        let mut found = Vec::new();
        while let Some((object, after)) = object(rest) {
            found.push(object.map(<[u8]>::to_vec));
            rest = after;
        }
        assert_eq!(found, [Some(b"a\nb".to_vec()), None, None, Some(Vec::new())]);
    }
}
