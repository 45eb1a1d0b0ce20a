//! Texts and diffs of sizes that a model seldom writes, made by rule.

/// The corruption of a diff.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    /// Nothing.
    None,
    /// The file has 500 lines more at its start.
    Moved,
    /// Its headers name other lines and other counts.
    Headers,
    /// A letter of a line of context in each hunk is another.
    Context,
}

/// A file of 100,000 lines, about 10 MB, and a diff of 1,000 hunks.
pub(crate) struct Large {
    before: Vec<String>,
    hunks: Vec<(usize, [String; 2])>,
}

/// Words of its lines.
const WORDS: [&str; 24] = [
    "alpha", "beta", "gamma", "config", "server", "handle", "request", "response", "buffer", "stream",
    "value", "index", "total", "count", "state", "cache", "token", "parse", "write", "read", "close",
    "flush", "result", "option",
];

/// Numbers that look like chance, the same in each run (a linear congruential generator, Knuth's constants).
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

impl Large {
    /// Makes it.
    pub(crate) fn new() -> Self {
        let mut chance = Chance(7);
        let line = |_| {
            let words = (0..11 + chance.below(10)).map(|_| WORDS[chance.below(WORDS.len())]);
            let words: Vec<&str> = words.collect();
            format!("{}{} {}\n", "    ".repeat(chance.below(5)), words.join(" "), chance.below(1_000_000))
        };
        let before: Vec<String> = (0..100_000).map(line).collect();
        let hunk = |number: usize| {
            let at = 50 + number * 99 + chance.below(40);
            let new = format!("{} changed\n", before[at].trim_end());
            (at, [new, format!("a new line, number {number}\n")])
        };
        let hunks = (0..1000).map(hunk).collect();
        Self { before, hunks }
    }

    /// The file, the diff, and what the file becomes.
    pub(crate) fn with(&self, change: Change) -> (String, String, String) {
        let mut chance = Chance(8);
        let mut diff = "--- a/f\n+++ b/f\n".to_owned();
        let mut after = self.before.clone();
        for (number, (at, new)) in self.hunks.iter().enumerate() {
            let (mut old, mut len) = (at - 2, [7, 8]);
            if matches!(change, Change::Headers) {
                old = (old + chance.below(800)).saturating_sub(400);
                len = [5 + chance.below(5), 5 + chance.below(5)];
            }
            diff += &format!("@@ -{old},{} +{},{} @@\n", len[0], old + number, len[1]);
            for line in at - 3..at + 4 {
                let own = &self.before[line];
                match line.cmp(at) {
                    std::cmp::Ordering::Equal => diff += &format!("-{own}+{}+{}", new[0], new[1]),
                    _ if matches!(change, Change::Context) && line + 1 == *at => {
                        diff += &format!(" {}", own.replacen('e', "a", 1));
                    }
                    _ => diff += &format!(" {own}"),
                }
            }
            after[*at] = new.concat();
        }
        let head = match change {
            Change::Moved => (0..500).map(|line| format!("// line {line} of a head\n")).collect(),
            _ => String::new(),
        };
        (head.clone() + &self.before.concat(), diff, head + &after.concat())
    }
}

/// A file and a diff.
type Make = fn() -> (String, String);

/// Inputs of a hostile or careless caller.
pub(crate) const HOSTILE: [(&str, Make); 7] = [
    ("a typing error in the context", || {
        let before = numbered(1_000_000);
        let line = |number: usize| format!("line {number} of a large file with some words in it");
        let diff = format!(
            "@@ -5,3 +5,3 @@\n {}\n-{}\n+changed\n {}\n",
            line(500_000).replace("words", "wrods"),
            line(500_001),
            line(500_002)
        );
        (before, diff)
    }),
    ("a line that is nowhere", || (numbered(1_000_000), "@@ -5 +5 @@\n-no such line\n+changed\n".to_owned())),
    ("equal lines", || ("x\n".repeat(100_000), "@@ @@\n x\n-y\n+z\n x\n".to_owned())),
    ("lines of 1 MB", || {
        let line = "y".repeat(1_000_000);
        (format!("{line}\n").repeat(20), format!("@@ @@\n-{line}z\n+changed\n"))
    }),
    ("100,000 hunks", || {
        let diff =
            |hunk| format!("@@ @@\n line {} of a large file with some words in it\n+added\n", 2 * hunk);
        (numbered(200_000), (0..100_000).map(diff).collect())
    }),
    ("100,000 hunks with typing errors", || {
        let hunk = |hunk: usize| {
            let words = "of a large file with some words in it";
            format!("@@ @@\n lien {} {words}\n-line {} {words}\n+changed\n", 2 * hunk, 2 * hunk + 1)
        };
        (numbered(200_000), (0..100_000).map(hunk).collect())
    }),
    ("prose as a diff", || (numbered(1000), numbered(1_000_000))),
];

fn numbered(lines: usize) -> String {
    (0..lines).map(|line| format!("line {line} of a large file with some words in it\n")).collect()
}
