//! Writes those changes of a command that need no review: changes of paths that git ignores and does not track, in a
//! repository, by patterns that the person knows.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::apart_layer::ApartLayer;
use super::bounds::CommandBounds;
use super::builds::CommandKind;
use super::error::ExecutionError;
use super::git::{GitReader, IndexPart};
use super::ignored_paths::{IGNORE_FILE, IgnoreRule, IgnoredPaths, ignore_text};
use super::pass_ignored::{self, PassJudge};
use super::run_later::run_later;
use super::{CommandExecutor, guard, inner, unlooked};
use crate::base::{WorkspacePath, run_blocking};
use crate::protocol::{DirectWrites, IgnoredEffects};
use crate::rules::{PathRuling, holds_public};
use crate::sandbox::OverlayLayers;
use crate::session::CallScope;

/// The deepest folder of a layer that is looked into for what git ignores.
const DEEPEST: usize = 200;
/// Entries of a layer that are looked at for what git ignores, and outermost ignored ones that are taken.
const MOST_ENTRIES: usize = 200_000;
const MOST_OUTERMOST: usize = 10_000;
/// Files that a pattern for everything leaves in the folder of its ignore file.
const KEEPERS: [&str; 4] = [IGNORE_FILE, ".gitkeep", ".keep", "README.md"];
/// Folders that builds and package managers write, which a pattern for everything at the root may mean.
const BUILD_FOLDERS: [&str; 22] = [
    "node_modules",
    "target",
    "dist",
    "build",
    "out",
    "venv",
    "env",
    "__pycache__",
    ".cache",
    "coverage",
    ".next",
    ".nuxt",
    ".tox",
    ".nox",
    ".gradle",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".parcel-cache",
    ".turbo",
    ".svelte-kit",
    "vendor",
];

/// The outcome of direct writes.
#[derive(Debug, Default)]
pub(super) struct DirectOutcome {
    /// The written files, by the outermost ignored folder.
    pub(super) written: Vec<DirectWrites>,
    /// The changes that were not written, a sentence each.
    pub(super) left_out: Vec<String>,
    /// The files that lost a name by it, by device and inode: their change times do not indicate a change by someone
    /// else.
    pub(super) unnamed: HashSet<(u64, u64)>,
}

/// A command whose changes are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct DirectRequest<'r> {
    /// The bounds that its definition sets to its writes.
    pub(super) bounds: &'r CommandBounds,
    pub(super) kind: CommandKind,
    /// The time when it began.
    pub(super) began: SystemTime,
}

/// A path that git ignores and whose folder it does not.
#[derive(Clone, Debug, PartialEq, Eq)]
struct OutermostIgnored {
    path: WorkspacePath,
    is_folder: bool,
    rule: IgnoreRule,
}

/// Writes the changes of ignored and untracked paths, and takes them out of the command's layer: to the workspace, or
/// to the kept-apart layer where the person's settings ask for that.
///
/// # Errors
/// Fails where the layer cannot be read.
pub(super) async fn write_ignored(
    executor: &CommandExecutor,
    scope: &CallScope,
    overlay: &OverlayLayers,
    request: DirectRequest<'_>,
) -> Result<DirectOutcome, ExecutionError> {
    let apart = match scope.settings().sandbox.ignored {
        IgnoredEffects::Review => return Ok(DirectOutcome::default()),
        IgnoredEffects::Write => None,
        IgnoredEffects::Session => {
            // With no place to keep it apart it is reviewed.
            let Some(layer) = ApartLayer::in_state(scope.files().state()) else {
                return Ok(DirectOutcome::default());
            };
            layer.make().map_err(ExecutionError::while_doing("making a folder for what commands leave"))?;
            Some(layer)
        }
    };
    Ok(pass_known(executor, scope, overlay, request, apart.as_ref()).await)
}

/// Writes what is kept apart to the workspace. What the person changed since it was begun, and what commands may not write,
/// stays as it is.
pub(super) async fn take_over(
    executor: &CommandExecutor,
    scope: &CallScope,
    layer: &ApartLayer,
) -> DirectOutcome {
    let lower = PathBuf::from(scope.files().paths().root().real_path());
    let overlay = OverlayLayers { lower, upper: layer.folder().to_owned() };
    let bounds = CommandBounds::default();
    let request = DirectRequest { bounds: &bounds, kind: CommandKind::Install, began: layer.began_at() };
    pass_known(executor, scope, &overlay, request, None).await
}

/// The outermost paths that are kept apart in `layer`.
pub(super) fn kept_apart(scope: &CallScope, layer: &ApartLayer) -> Vec<WorkspacePath> {
    let lower = PathBuf::from(scope.files().paths().root().real_path());
    let mut ignored = IgnoredPaths::at_root(&lower);
    let overlay = OverlayLayers { lower, upper: layer.folder().to_owned() };
    find_outermost(&overlay, None, &mut ignored).into_iter().map(|found| found.path).collect()
}

/// Moves what is ignored, by patterns that the person knows, out of a command's layer: to `apart`, or else to the workspace.
async fn pass_known(
    executor: &CommandExecutor,
    scope: &CallScope,
    overlay: &OverlayLayers,
    request: DirectRequest<'_>,
    apart: Option<&ApartLayer>,
) -> DirectOutcome {
    let mut ignored = IgnoredPaths::at_root(&overlay.lower);
    let found = run_blocking(|| find_outermost(overlay, apart, &mut ignored));
    if found.is_empty() {
        return DirectOutcome::default();
    }
    let Some(ground) = DirectGround::ask_git(executor, scope, &overlay.lower, &found, &ignored).await else {
        return DirectOutcome::default();
    };
    let to = apart.map_or(&*overlay.lower, ApartLayer::folder);
    let target = OverlayLayers { lower: to.to_owned(), upper: overlay.upper.clone() };
    run_blocking(|| {
        let mut outcome = DirectOutcome::default();
        for found in ground.known_only(found) {
            let (upper, keeps_apart) = (&*overlay.upper, apart.is_some());
            let judge =
                DirectJudge { scope, request, ground: &ground, outermost: &found, upper, keeps_apart };
            pass_ignored::pass_ignored(&target, &found.path, &judge, request.began, &mut outcome);
        }
        outcome
    })
}

/// The ignored folders of a workspace, by what a command in the background may do to them.
#[derive(Debug, Default)]
pub(super) struct BackgroundFolders {
    /// It writes them at once.
    pub(super) direct: Vec<PathBuf>,
    /// The folders in which its writes go to a layer of its own: files in them have further names elsewhere, or the
    /// person's settings keep them apart.
    pub(super) shared: Vec<PathBuf>,
    /// Set where the settings are the reason.
    is_apart: bool,
    /// The folders that it only reads: git tracks files in them, they hold a repository, or no one reviewed the
    /// pattern.
    read_only: Vec<PathBuf>,
}

impl BackgroundFolders {
    /// Describes the folders that are not written, a sentence each.
    pub(super) fn describe_unwritten(&self, root: &Path, applies: bool, has_layers: bool) -> Vec<String> {
        let named = |folder: &PathBuf| folder.strip_prefix(root).unwrap_or(folder).display().to_string();
        let shared = match !applies && has_layers {
            true if self.is_apart => {
                "your settings keep it apart, so what this command writes there is its own and ends with it"
            }
            true => {
                "files in it have further names (hard links), so what this command writes there is its own and ends with it"
            }
            false => "files in it have further names (hard links), so this command cannot write there",
        };
        let read_only = "git tracks files in it, it holds a repository, or an agent made it ignored, so this command cannot write there";
        let of = |folders: &[PathBuf], why: &str| {
            folders.iter().map(|folder| format!("{}: {why}", named(folder))).collect::<Vec<_>>()
        };
        [of(&self.shared, shared), if applies { Vec::new() } else { of(&self.read_only, read_only) }].concat()
    }
}

/// Sorts `folders`, which git ignores, by the access that a command in the background has to them.
pub(super) async fn background_folders(
    executor: &CommandExecutor,
    scope: &CallScope,
    folders: Vec<PathBuf>,
) -> BackgroundFolders {
    if scope.settings().sandbox.ignored == IgnoredEffects::Review || folders.is_empty() {
        return BackgroundFolders { read_only: folders, ..BackgroundFolders::default() };
    }
    let root = PathBuf::from(scope.files().paths().root().real_path());
    let mut ignored = IgnoredPaths::at_root(&root);
    let found = folders.iter().filter_map(|folder| {
        let path = WorkspacePath::from_relative(folder.strip_prefix(&root).ok()?.to_str()?)?;
        let rule = ignored.find_rule(&path, true)?;
        Some(OutermostIgnored { path, is_folder: true, rule })
    });
    let found: Vec<OutermostIgnored> = found.collect();
    let ground = DirectGround::ask_git(executor, scope, &root, &found, &ignored).await;
    run_blocking(|| {
        let known: Vec<PathBuf> = match &ground {
            Some(ground) => {
                let known = ground.known_only(found).into_iter();
                let known = known.filter(|found| ground.index.paths_below(&found.path).next().is_none());
                known.map(|found| root.join(found.path.as_str())).collect()
            }
            None => Vec::new(),
        };
        let is_written = |folder: &PathBuf| known.contains(folder) && !inner::holds_repository(folder);
        let (written, read_only) = folders.into_iter().partition::<Vec<_>, _>(is_written);
        let is_apart = scope.settings().sandbox.ignored == IgnoredEffects::Session;
        let (shared, direct) =
            written.into_iter().partition(|folder| is_apart || inner::shares_files(folder));
        BackgroundFolders { direct, shared, is_apart, read_only }
    })
}

/// The index and the ignore patterns by which a workspace's ignored paths are judged.
#[derive(Debug)]
struct DirectGround {
    index: IndexPart,
    /// The ignore files without the lines that an agent wrote and no one reviewed; none where there are no such lines.
    looked_at: Option<HashMap<WorkspacePath, String>>,
    lower: PathBuf,
}

impl DirectGround {
    /// Asks git. Nothing where there is no repository, or git does not say.
    async fn ask_git(
        executor: &CommandExecutor,
        scope: &CallScope,
        lower: &Path,
        found: &[OutermostIgnored],
        ignored: &IgnoredPaths,
    ) -> Option<Self> {
        let reader = GitReader::open_for_index(executor, scope).ok()?;
        let files: Vec<(WorkspacePath, WorkspacePath)> = ignored
            .asked_folders()
            .filter_map(|folder| Some((folder.clone(), folder.join(IGNORE_FILE)?)))
            .collect();
        let of_catch_all =
            found.iter().filter(|found| found.rule.is_catch_all && !found.rule.folder.is_root());
        let folders: BTreeSet<&WorkspacePath> = of_catch_all.map(|found| &found.rule.folder).collect();
        let asked: Vec<&WorkspacePath> = found
            .iter()
            .map(|found| &found.path)
            .chain(folders)
            .chain(files.iter().map(|(_, file)| file))
            .collect();
        let index = reader.index_part(&asked).await.ok()?;
        let looked_at = looked_at(scope, &reader, lower, &files, &index).await?;
        Some(Self { index, looked_at, lower: lower.to_owned() })
    }

    /// Returns the paths that are also ignored by reviewed patterns. A pattern for everything covers the folders that
    /// builds write, and folders of which git tracks nothing.
    fn known_only(&self, found: Vec<OutermostIgnored>) -> Vec<OutermostIgnored> {
        let mut strict =
            self.looked_at.as_ref().map(|texts| IgnoredPaths::with_texts(&self.lower, texts.clone()));
        let is_known = |found: &OutermostIgnored| {
            let rule = match &mut strict {
                Some(strict) => strict.find_rule(&found.path, found.is_folder),
                None => Some(found.rule.clone()),
            };
            rule.is_some_and(|rule| !rule.is_catch_all || self.applies_to(&rule, found))
        };
        found.into_iter().filter(is_known).collect()
    }

    /// Returns whether a pattern for everything means a path.
    fn applies_to(&self, rule: &IgnoreRule, found: &OutermostIgnored) -> bool {
        if rule.folder.is_root() {
            return found.is_folder && BUILD_FOLDERS.contains(&found.path.name());
        }
        let is_keeper = |path: &str| {
            let keeper = path.strip_prefix(rule.folder.as_str()).and_then(|path| path.strip_prefix('/'));
            keeper.is_some_and(|name| KEEPERS.contains(&name))
        };
        self.index.paths_below(&rule.folder).all(is_keeper)
    }
}

/// Returns the texts of ignore files without the lines that an agent wrote and no one reviewed: text that the index has
/// counts as reviewed. None where no file has such lines; nothing where git does not answer.
async fn looked_at(
    scope: &CallScope,
    reader: &GitReader<'_>,
    lower: &Path,
    files: &[(WorkspacePath, WorkspacePath)],
    index: &IndexPart,
) -> Option<Option<HashMap<WorkspacePath, String>>> {
    let hashes: Vec<&str> = files.iter().filter_map(|(_, file)| index.hash(file)).collect();
    let mut blobs = match hashes.is_empty() {
        true => Vec::new(),
        false => reader.read_blobs(&hashes).await.ok()?,
    }
    .into_iter();
    let (mut texts, mut is_other) = (HashMap::new(), false);
    for (folder, file) in files {
        let indexed = match index.hash(file) {
            Some(_) => String::from_utf8_lossy(&blobs.next().flatten()?).into_owned(),
            None => String::new(),
        };
        let now = ignore_text(&lower.join(file.as_str())).unwrap_or_default();
        let text = looked_at_text(&indexed, &now, || unlooked::unlooked_lines(scope, file, &now));
        is_other |= text.is_some();
        texts.extend(text.map(|text| (folder.clone(), text)));
    }
    Some(is_other.then_some(texts))
}

/// The text of an ignore file as it was looked at, where that is another than it has `now`.
fn looked_at_text(indexed: &str, now: &str, unlooked: impl FnOnce() -> Vec<bool>) -> Option<String> {
    let [was, is] = [indexed, now].map(|text| text.lines().map(str::trim_end).collect::<Vec<_>>());
    if was == is {
        return None;
    }
    // A negated pattern was removed: it is not known by whom.
    let is_gone = |line: &&&str| line.starts_with('!') && !is.contains(line);
    if was.iter().find(is_gone).is_some() {
        return Some(indexed.to_owned());
    }
    let unlooked = unlooked();
    let is_known = |(at, line): &(usize, &&str)| was.contains(line) || unlooked.get(*at) == Some(&false);
    let kept: Vec<&str> = is.iter().enumerate().filter(is_known).map(|(_, line)| *line).collect();
    (kept != is).then(|| kept.join("\n"))
}

/// The entries of a layer that git ignores, each without what lies in it.
fn find_outermost(
    overlay: &OverlayLayers,
    apart: Option<&ApartLayer>,
    ignored: &mut IgnoredPaths,
) -> Vec<OutermostIgnored> {
    let (mut found, mut seen) = (Vec::new(), 0);
    let mut waiting = vec![(WorkspacePath::root(), 0)];
    while let Some((folder, depth)) = waiting.pop() {
        let at = overlay.upper.join(folder.as_str());
        for entry in std::fs::read_dir(at).into_iter().flatten().flatten() {
            seen += 1;
            if seen > MOST_ENTRIES || found.len() >= MOST_OUTERMOST {
                return found;
            }
            let (name, Ok(kind)) = (entry.file_name(), entry.file_type()) else { continue };
            let Some(path) = name.to_str().and_then(|name| folder.join(name)) else { continue };
            // A whiteout hides the entry that still exists below.
            let lower = overlay.lower.join(path.as_str());
            let is_folder_in = |root: &Path| {
                std::fs::symlink_metadata(root.join(path.as_str())).is_ok_and(|meta| meta.is_dir())
            };
            let is_folder = match kind.is_dir() || kind.is_file() || kind.is_symlink() {
                true => kind.is_dir(),
                false => {
                    is_folder_in(&overlay.lower) || apart.is_some_and(|layer| is_folder_in(layer.folder()))
                }
            };
            match ignored.find_rule(&path, is_folder) {
                Some(rule) => found.push(OutermostIgnored { path, is_folder, rule }),
                // Paths that another repository ignores do not concern this one.
                None if kind.is_dir() && depth < DEEPEST && !inner::is_repository(&lower) => {
                    waiting.push((path, depth + 1));
                }
                None => {}
            }
        }
    }
    found
}

/// Judges what is written below one ignored path.
struct DirectJudge<'j> {
    scope: &'j CallScope,
    request: DirectRequest<'j>,
    ground: &'j DirectGround,
    outermost: &'j OutermostIgnored,
    /// The layer.
    upper: &'j Path,
    keeps_apart: bool,
}

impl DirectJudge<'_> {
    /// Returns whether a closed file of the workspace holds nothing but what is public, as a package's certificates do.
    fn was_public(&self, path: &WorkspacePath) -> bool {
        holds_public(&self.ground.lower.join(path.as_str()))
    }
}

impl PassJudge for DirectJudge<'_> {
    fn may_write(&self, path: &WorkspacePath, existed: bool, is_folder: bool) -> bool {
        let DirectRequest { bounds, kind, .. } = self.request;
        let in_workspace = || self.ground.lower.join(path.as_str());
        let existed = existed || self.keeps_apart && in_workspace().symlink_metadata().is_ok();
        let rules = self.scope.files().paths().rules();
        let is_inside = self.outermost.is_folder;
        let is_open = match rules.paths().check_direct_write(path) {
            // A package brings examples of keys along. One that is there is closed to commands.
            PathRuling::Deny { .. } => {
                is_inside
                    && ((!existed || self.was_public(path)) && rules.paths().closes_as_secret(path)
                        || guard::is_weights(&self.upper.join(path.as_str())))
            }
            PathRuling::Ask { .. } => is_inside,
            PathRuling::Allow => true,
        };
        if is_folder {
            return is_open && !(self.keeps_apart && inner::is_repository(&in_workspace()));
        }
        // A file that is ignored by itself lies among the project's own files.
        let is_build_file = || path.name() == IGNORE_FILE || rules.paths().change_warning(path).is_some();
        let is_installed = || run_later(path).is_some_and(|run| run.is_installed);
        is_open
            && bounds.takes_path(path)
            && (is_inside || !is_build_file())
            && !self.ground.index.has_path(path)
            && !(existed && !self.keeps_apart && kind != CommandKind::Install && is_installed())
    }

    fn may_remove(&self, path: &WorkspacePath, is_folder: bool) -> bool {
        let rules = self.scope.files().paths().rules();
        let is_open = rules.paths().permit_direct_write(path).is_ok()
            || self.outermost.is_folder && rules.paths().closes_as_secret(path) && self.was_public(path);
        is_open && (is_folder || self.request.bounds.takes_path(path) && !self.ground.index.has_path(path))
    }

    fn keeps_apart(&self) -> bool {
        self.keeps_apart
    }

    fn may_hide(&self, path: &WorkspacePath) -> bool {
        let holds_repository = || inner::holds_repository(&self.ground.lower.join(path.as_str()));
        self.may_remove(path, false)
            && self.ground.index.paths_below(path).next().is_none()
            && !holds_repository()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_counts_once_it_was_looked_at() {
        let of =
            |indexed: &str, now: &str, unlooked: &[bool]| looked_at_text(indexed, now, || unlooked.to_vec());
        assert_eq!(of("a\nb\n", "a\r\nb", &[]), None, "line ends change no pattern");
        assert_eq!(of("a\n", "a\nsrc/\n", &[false, false]), None, "a person wrote it");
        assert_eq!(of("a\n", "a\nsrc/\n", &[false, true]).as_deref(), Some("a"));
        assert_eq!(of("", "node_modules\n", &[false]), None, "not committed yet, and no agent's");
        assert_eq!(of("", "src/\nnode_modules\n", &[true, false]).as_deref(), Some("node_modules"));
        assert_eq!(of("a\n", "src/\n", &[]).as_deref(), Some(""), "what is not known does not count");
        assert_eq!(of("*.x\n!keep.x\n", "*.x\n", &[false]).as_deref(), Some("*.x\n!keep.x\n"));
        assert_eq!(of("!keep.x\n", "", &[]).as_deref(), Some("!keep.x\n"), "removed with its file");
        assert_eq!(of("a\nb\n", "b\na\n", &[true, true]), None, "both were looked at");
    }
}
