//! Searches a large tree by every layer, side by side with ripgrep, and prints how long each takes.
//!
//! `cargo bench --bench lexical -- TREE RG`: the tree is a folder with source, `RG` the program.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use wherefore::index::lexical::entry::FileList;
use wherefore::index::lexical::index::LexicalIndex;
use wherefore::index::lexical::query::{CaseSensitivity, LineQuery};
use wherefore::index::lexical::search::{FoundLines, LineSearch, SearchOptions, search_files};
use wherefore::index::lexical::source::TextSource;
use wherefore::index::lexical::view::IndexView;
use wherefore::index::lexical::walk::{FileWalk, walk_files};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

struct Pattern(&'static str, &'static str, CaseSensitivity, bool);

const PATTERNS: [Pattern; 13] = [
    Pattern("rare literal", "mutex_lock_interruptible_nested", CaseSensitivity::Sensitive, true),
    Pattern("common literal", "EXPORT_SYMBOL_GPL", CaseSensitivity::Sensitive, true),
    Pattern("insensitive literal", "spin_lock_irqsave_nested", CaseSensitivity::Insensitive, true),
    Pattern("word-bounded", r"\bkfree_skb_list\b", CaseSensitivity::Sensitive, false),
    Pattern(
        "alternation",
        "ext4_da_write_begin|btrfs_drop_extents|xfs_trans_alloc_empty",
        CaseSensitivity::Sensitive,
        false,
    ),
    Pattern("prefix and class", r"drm_[a-z]+_gem_mmap", CaseSensitivity::Sensitive, false),
    Pattern("anchored line", r"^static void __exit [a-z]+_cleanup", CaseSensitivity::Sensitive, false),
    Pattern("no literal", r"\w{5}\s+\w{5}\s+\w{5}", CaseSensitivity::Sensitive, false),
    Pattern("Unicode class", r"\p{Greek}", CaseSensitivity::Sensitive, false),
    Pattern("two literals", r"copy_from_user.*EFAULT", CaseSensitivity::Sensitive, false),
    Pattern("two characters", "zq", CaseSensitivity::Sensitive, true),
    Pattern("absent literal", "no_such_identifier_anywhere", CaseSensitivity::Sensitive, true),
    Pattern("many results", "return", CaseSensitivity::Sensitive, true),
];

struct Folder(PathBuf);

impl TextSource for Folder {
    fn open(&self, path: &str) -> Option<File> {
        let flags = (rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOFOLLOW).bits();
        OpenOptions::new().read(true).custom_flags(flags as i32).open(self.0.join(path)).ok()
    }

    fn unsaved_text(&self, _: &str) -> Option<Arc<str>> {
        None
    }

    fn unsaved_paths(&self) -> Vec<Arc<str>> {
        Vec::new()
    }
}

fn rss() -> (u64, u64) {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let of = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
    };
    (of("VmRSS"), of("VmHWM"))
}

fn best<T>(runs: usize, mut run: impl FnMut() -> T) -> (Duration, T) {
    let mut fastest: Option<(Duration, T)> = None;
    for _ in 0..runs {
        let begin = Instant::now();
        let value = run();
        let took = begin.elapsed();
        if fastest.as_ref().is_none_or(|(least, _)| took < *least) {
            fastest = Some((took, value));
        }
    }
    fastest.unwrap()
}

fn ripgrep(rg: &Path, root: &Path, pattern: &Pattern, more: &[&str]) -> BTreeSet<(String, u64)> {
    let case = if pattern.2 == CaseSensitivity::Insensitive { "-i" } else { "-s" };
    let mut command = Command::new(rg);
    command
        .current_dir(root)
        .args(["--no-config", "-n", "--no-heading", "--color", "never", "-0", case])
        .args(more);
    if pattern.3 {
        command.arg("-F");
    }
    let output = command.args(["-e", pattern.1, "./"]).output().unwrap().stdout;
    if more.is_empty() {
        return BTreeSet::new();
    }
    let parse = |line: &[u8]| {
        let nul = line.iter().position(|&byte| byte == 0)?;
        let number = String::from_utf8_lossy(&line[nul + 1..]).split(':').next()?.parse().ok()?;
        Some((String::from_utf8_lossy(&line[2..nul]).into_owned(), number))
    };
    output.split(|&byte| byte == b'\n').filter_map(parse).collect()
}

fn lines(found: &FoundLines) -> BTreeSet<(String, u64)> {
    found.hits.iter().map(|(path, hit)| (path.to_string(), hit.line)).collect()
}

fn list(root: &Path, stamps: bool) -> FileList {
    walk_files(root, &FileWalk { stamps, ..FileWalk::default() }, &|| true).unwrap()
}

fn cold(root: &Path, cache: &Path, number: usize) {
    let begin = Instant::now();
    let Pattern(_, pattern, case, literal) = &PATTERNS[number];
    let index = LexicalIndex::open(cache, root.to_str().unwrap()).unwrap();
    let opened = begin.elapsed();
    let list = list(root, true);
    let walked = begin.elapsed();
    let query = LineQuery::new(pattern, *case, *literal).unwrap();
    let found = index.search(
        &list,
        &Folder(root.to_owned()),
        LineSearch::new(&query, &SearchOptions::default()),
        &|| true,
    );
    println!(
        "{} {} {} {}",
        opened.as_micros(),
        walked.as_micros(),
        begin.elapsed().as_micros(),
        found.hits.len()
    );
}

/// Makes the system drop its cache of files; returns whether it did, which takes root.
fn forget() -> bool {
    rustix::fs::sync();
    fs::write("/proc/sys/vm/drop_caches", "3").is_ok()
}

/// The times of a process that opens the index, walks and searches: in all, and without the walk.
fn fresh(root: &Path, cache: &Path, number: usize) -> (Duration, Duration) {
    let program = std::env::current_exe().unwrap();
    let number = number.to_string();
    let mut command = Command::new(program);
    let out = command.arg("cold").arg(root).arg(cache).arg(&number).output().unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    let times: Vec<u64> = text.split_whitespace().map(|time| time.parse().unwrap()).collect();
    (Duration::from_micros(times[2]), Duration::from_micros(times[0] + times[2] - times[1]))
}

/// Every pattern once more, with nothing of the tree or the index in memory.
fn forgotten(root: &Path, cache: &Path, rg: &Path) {
    println!("\n| pattern, nothing in memory | rg ms | new process × | list given × |\n|---|---|---|---|");
    let (mut logs, mut count) = ([0.0; 2], 0.0);
    for (number, pattern) in PATTERNS.iter().enumerate() {
        if !forget() {
            return println!("| left out: only root may have the system forget files |");
        }
        let (by_rg, _) = best(1, || ripgrep(rg, root, pattern, &[]));
        forget();
        let (all, given) = fresh(root, cache, number);
        let ratios = [all, given].map(|time| by_rg.as_secs_f64() / time.as_secs_f64());
        logs.iter_mut().zip(ratios).for_each(|(log, ratio)| *log += ratio.ln());
        count += 1.0;
        println!(
            "| {} | {:.0} | {:.1} | {:.1} |",
            pattern.0,
            by_rg.as_secs_f64() * 1e3,
            ratios[0],
            ratios[1]
        );
    }
    let mean = logs.map(|log: f64| (log / count).exp());
    println!("geometric mean: new process {:.1}, list given {:.1}", mean[0], mean[1]);
}

fn main() {
    let args: Vec<String> = std::env::args().filter(|arg| arg != "--bench").collect();
    if args.get(1).is_some_and(|arg| arg == "cold") {
        return cold(Path::new(&args[2]), Path::new(&args[3]), args[4].parse().unwrap());
    }
    let (root, rg) = (PathBuf::from(&args[1]).canonicalize().unwrap(), PathBuf::from(&args[2]));
    let cache = tempfile::tempdir().unwrap();
    let source = Folder(root.clone());
    let (took, files) = best(3, || list(&root, true));
    let bytes: u64 = files.iter().map(|file| file.stamp.size).sum();
    println!(
        "{} files, {} MB; walked with stamps in {took:?}; RSS {} MB",
        files.len(),
        bytes / 1_000_000,
        rss().0
    );
    println!("load: {}", fs::read_to_string("/proc/loadavg").unwrap().trim());

    let index = LexicalIndex::open(cache.path(), root.to_str().unwrap()).unwrap();
    let begin = Instant::now();
    let done = index.update(&files, &source, &mut |_, _| {}, &|| true).unwrap();
    let took = begin.elapsed();
    let size: u64 = index.view(&files).segments().iter().map(|segment| segment.bytes()).sum();
    let terms: usize = index.view(&files).segments().iter().map(|segment| segment.term_count()).sum();
    println!(
        "index: {} files in {took:?}, {:.0} MB/s; {:.1} MB, {:.1} % of the source, {terms} trigrams; RSS, highest RSS {:?} MB",
        done.added,
        bytes as f64 / 1e6 / took.as_secs_f64(),
        size as f64 / 1e6,
        size as f64 * 100.0 / bytes as f64,
        rss(),
    );
    let (took, _) = best(3, || index.update(&files, &source, &mut |_, _| {}, &|| true).unwrap());
    println!("an update with nothing to do: {took:?}");
    let (took, _) =
        best(3, || LexicalIndex::open(cache.path(), root.to_str().unwrap()).unwrap().view(&files));
    println!("opened and joined with the list in {took:?}");

    println!(
        "\n| pattern | hits | files | rg ms | walk | list | warm ms | warm × | cold ms | cold × | cold, list given × | first 100 × |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let (mut logs, mut count) = ([0.0; 6], 0.0);
    let only = args.get(3);
    for (number, pattern) in PATTERNS.iter().enumerate() {
        if only.is_some_and(|only| !pattern.0.contains(only.as_str())) {
            continue;
        }
        let (by_rg, _) = best(5, || ripgrep(&rg, &root, pattern, &[]));
        let compile = || LineQuery::new(pattern.1, pattern.2, pattern.3).unwrap();
        let all = SearchOptions::default();
        let (by_walk, found) = best(5, || {
            search_files(
                &IndexView::new(list(&root, false), Arc::new([])),
                &source,
                LineSearch::new(&compile(), &all),
                &|| true,
            )
        });
        let expected = ripgrep(&rg, &root, pattern, &["--sort", "path"]);
        assert_eq!(lines(&found), expected, "{}", pattern.0);
        let (by_list, _) = best(3, || {
            search_files(
                &IndexView::new(Arc::clone(&files), Arc::new([])),
                &source,
                LineSearch::new(&compile(), &all),
                &|| true,
            )
        });
        let (warm, found) =
            best(9, || index.search(&files, &source, LineSearch::new(&compile(), &all), &|| true));
        assert_eq!(lines(&found), expected, "{}", pattern.0);
        let first = SearchOptions { limit: 100, context: 2, ..SearchOptions::default() };
        let (first, _) =
            best(9, || index.search(&files, &source, LineSearch::new(&compile(), &first), &|| true));
        let mut given = Duration::MAX;
        let (cold, _) = best(5, || {
            let (_, without_walk) = fresh(&root, cache.path(), number);
            given = given.min(without_walk);
        });
        let ratios =
            [by_walk, by_list, warm, cold, given, first].map(|time| by_rg.as_secs_f64() / time.as_secs_f64());
        logs.iter_mut().zip(ratios).for_each(|(log, ratio)| *log += ratio.ln());
        count += 1.0;
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        println!(
            "| {} | {} | {} | {:.1} | {:.2} | {:.2} | {:.3} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} |",
            pattern.0,
            expected.len(),
            found.candidates,
            ms(by_rg),
            ratios[0],
            ratios[1],
            ms(warm),
            ratios[2],
            ms(cold),
            ratios[3],
            ratios[4],
            ratios[5],
        );
    }
    let mean = logs.map(|log: f64| (log / count).exp());
    println!(
        "geometric mean: walk {:.2}, list {:.2}, warm {:.1}, cold {:.1}, cold with the list given {:.1}, first 100 {:.1}",
        mean[0], mean[1], mean[2], mean[3], mean[4], mean[5]
    );
    if only.is_none() {
        forgotten(&root, cache.path(), &rg);
    }
    println!(
        "RSS, highest RSS: {:?} MB; load: {}",
        rss(),
        fs::read_to_string("/proc/loadavg").unwrap().trim()
    );
}
