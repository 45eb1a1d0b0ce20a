//! Numbers that are the same each time, and the words of random lines.

pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % (limit.max(1) as u64)).unwrap_or(0)
    }

    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

pub(super) const WORDS: [&str; 40] = [
    "alpha", "parse", "node", "tree", "walk", "count", "index", "value", "state", "queue", "lock", "file",
    "path", "read", "write", "open", "close", "start", "stop", "retry", "limit", "batch", "token", "user",
    "name", "email", "order", "price", "total", "cache", "fetch", "send", "reply", "error", "fault", "event",
    "timer", "clock", "merge", "split",
];
pub(super) const COMMON: [&str; 6] = ["}", "", "    }", "    return None", "} else {", "        break;"];
