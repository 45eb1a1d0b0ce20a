//! Lists the files that differ from the commit that is checked out, and reads the bytes of files in a commit.

use super::{GitError, GitReader, to_arguments};
use crate::base::WorkspacePath;

impl GitReader<'_> {
    /// Returns the commit that is checked out, and each file that differs from it: changed, staged or untracked.
    /// Nothing where there are more than git's answer has room for.
    ///
    /// # Errors
    /// Fails where git cannot be run, or refuses; and before the first commit.
    pub(crate) async fn changed_since_commit(
        &self,
    ) -> Result<Option<(String, Vec<WorkspacePath>)>, GitError> {
        let commit = self.find_commit("HEAD").await?;
        let asked = [
            "status",
            "--porcelain=v1",
            "-z",
            "--no-renames",
            "--untracked-files=all",
            "--ignore-submodules=all",
        ];
        let output = self.run_git(to_arguments(&asked), None).await?;
        let entries = output.bytes.split(|byte| *byte == 0).filter(|entry| !entry.is_empty());
        // Two letters and a space stand before the path.
        let paths = entries
            .filter_map(|entry| WorkspacePath::from_relative(std::str::from_utf8(entry.get(3..)?).ok()?));
        Ok((!output.is_cut).then(|| (commit, paths.collect())))
    }

    /// Returns the bytes of each of `paths` at a commit; nothing for a path that is no file there, that the rules
    /// close, or for which git's answer has no room.
    ///
    /// # Errors
    /// Fails where git cannot be run, or refuses.
    pub(crate) async fn read_contents(
        &self,
        commit: &str,
        paths: &[WorkspacePath],
    ) -> Result<Vec<Option<Vec<u8>>>, GitError> {
        let is_asked = |path: &&WorkspacePath| {
            !path.as_str().contains('\n') && !self.is_closed(path.as_str().as_bytes())
        };
        let asked: String =
            paths.iter().filter(is_asked).map(|path| format!("{commit}:{}\n", path.as_str())).collect();
        let mut found = self.read_objects(asked, paths.iter().filter(is_asked).count()).await?.into_iter();
        Ok(paths.iter().map(|path| if is_asked(&path) { found.next().flatten() } else { None }).collect())
    }

    /// The bytes of the files with these hashes, in their order; nothing for one that is not there, or for which git's answer
    /// has no room.
    ///
    /// # Errors
    /// Fails where git cannot be run, or refuses.
    pub(in crate::execution) async fn read_blobs(
        &self,
        hashes: &[&str],
    ) -> Result<Vec<Option<Vec<u8>>>, GitError> {
        let asked: String = hashes.iter().map(|hash| format!("{hash}\n")).collect();
        self.read_objects(asked, hashes.len()).await
    }

    /// The bytes of the objects that are asked for, a line each, in their order.
    async fn read_objects(&self, asked: String, count: usize) -> Result<Vec<Option<Vec<u8>>>, GitError> {
        let output = self.run_git(to_arguments(&["cat-file", "--batch"]), Some(asked.into_bytes())).await?;
        let mut rest = &output.bytes[..];
        let next = |_| {
            let (found, after) = split_object(rest)?;
            rest = after;
            found.map(<[u8]>::to_vec)
        };
        Ok((0..count).map(next).collect())
    }
}

/// Splits the first object off an answer: its bytes where it is a file's, and the rest of the answer; nothing where the
/// answer ends.
fn split_object(answer: &[u8]) -> Option<(Option<&[u8]>, &[u8])> {
    let end = answer.iter().position(|byte| *byte == b'\n')?;
    let (header, rest) = (&answer[..end], &answer[end + 1..]);
    let words: Vec<&[u8]> = header.split(|byte| *byte == b' ').collect();
    let [.., kind, size] = words[..] else { return Some((None, rest)) };
    // A name that is not found is answered in words alone.
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
        while let Some((object, after)) = split_object(rest) {
            found.push(object.map(<[u8]>::to_vec));
            rest = after;
        }
        assert_eq!(found, [Some(b"a\nb".to_vec()), None, None, Some(Vec::new())]);
    }
}
