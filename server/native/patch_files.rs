//! The files of a patch between `*** Begin Patch` and `*** End Patch`, the form of Codex's `apply_patch`.

/// What a patch does to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchFile {
    /// The file, as the patch names it.
    pub path: String,
    /// What is done to it.
    pub kind: PatchKind,
    /// Its new name, where it gets one.
    pub moved: Option<String>,
    /// A patch of this file alone.
    pub patch: String,
}

/// What is done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchKind {
    /// It is made.
    Add,
    /// Its text is changed.
    Update,
    /// It is removed.
    Delete,
}

const KINDS: [(&str, PatchKind); 3] = [
    ("*** Add File: ", PatchKind::Add),
    ("*** Update File: ", PatchKind::Update),
    ("*** Delete File: ", PatchKind::Delete),
];

/// The files of a patch, in its order.
pub fn patch_files(patch: &str) -> Vec<PatchFile> {
    let mut files: Vec<PatchFile> = Vec::new();
    for line in patch.lines() {
        let named = KINDS.iter().find_map(|(head, kind)| Some((line.strip_prefix(head)?.trim(), *kind)));
        if let Some((path, kind)) = named {
            let patch = format!("*** Begin Patch\n{line}\n");
            files.push(PatchFile { path: path.to_owned(), kind, moved: None, patch });
            continue;
        }
        let Some(file) = files.last_mut() else { continue };
        match line.strip_prefix("*** Move to: ") {
            Some(path) => file.moved = Some(path.trim().to_owned()),
            None if line.starts_with("*** End Patch") => break,
            None => file.patch.extend([line, "\n"]),
        }
    }
    for file in &mut files {
        file.patch.push_str("*** End Patch\n");
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_of_a_patch_stands_by_itself() {
        let patch = "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** Add File: c\n+z\n*** Delete File: d\n*** End Patch\nrest";
        let files = patch_files(patch);
        let seen: Vec<_> =
            files.iter().map(|file| (file.path.as_str(), file.kind, file.moved.as_deref())).collect();
        assert_eq!(
            seen,
            [
                ("a", PatchKind::Update, Some("b")),
                ("c", PatchKind::Add, None),
                ("d", PatchKind::Delete, None)
            ]
        );
        assert_eq!(files[0].patch, "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch\n");
        assert!(patch_files("no patch").is_empty());
    }
}
