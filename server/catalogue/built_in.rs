//! The built-in definitions, embedded.

/// Files of `schemas/tools`, by name.
macro_rules! embedded {
    ($($name:literal),* $(,)?) => {
        &[$((
            concat!("schemas/tools/", $name, ".yaml"),
            include_str!(concat!("../../schemas/tools/", $name, ".yaml")),
        )),*]
    };
}

/// Each built-in definition with its path in the repository; a test holds the list to the folder.
pub const BUILT_IN: &[(&str, &str)] = embedded![
    "context.assemble",
    "fs.append",
    "fs.copy",
    "fs.edit",
    "fs.ls",
    "fs.mkdir",
    "fs.patch",
    "fs.read",
    "fs.write",
    "memory.advise",
    "memory.summarize",
    "review.wait",
    "search.lexical",
    "search.vector",
    "task_complete",
    "workspace.files",
];
