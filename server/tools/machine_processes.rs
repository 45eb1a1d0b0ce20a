//! The processes of the machine, as the kernel lists them.

use std::fs;
use std::time::Duration;

use serde_json::Value;

use crate::base::hidden::escape_hidden;
use crate::protocol::{Code, Fault};
use crate::redact;

/// Bytes of a command line that are shown.
const SHOWN: usize = 4096;
/// The kernel's unit of times in /proc, the same on each architecture of ours.
const TICKS_PER_SECOND: f64 = 100.0;

/// A process of the machine.
#[derive(Debug)]
pub(super) struct MachineProcess {
    /// Its number.
    pub(super) pid: u32,
    /// The program and its arguments, without secrets; the name in brackets of a thread of the kernel.
    pub(super) argv: Vec<String>,
    /// The time since its start in milliseconds.
    pub(super) age_ms: u64,
}

/// Lists the processes that this user may see, by their numbers. One that ends meanwhile is left out.
///
/// # Errors
/// UNSUPPORTED where the system has no such list.
pub(super) fn list_processes() -> Result<Vec<MachineProcess>, Fault> {
    let unsupported = |error: std::io::Error| {
        Fault::new(Code::Unsupported, format!("this system lists no processes in /proc: {error}"))
            .with_suggestion("leave `machine` out to list the commands that terminal.run started")
    };
    let up = fs::read_to_string("/proc/uptime").map_err(unsupported)?;
    let up = up.split(' ').next().and_then(|seconds| seconds.parse::<f64>().ok()).unwrap_or_default();
    let entries = fs::read_dir("/proc").map_err(unsupported)?;
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let mut pids: Vec<u32> = pids.collect();
    pids.sort_unstable();
    Ok(pids.into_iter().filter_map(|pid| read_process(pid, up)).collect())
}

fn read_process(pid: u32, up: f64) -> Option<MachineProcess> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let line = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    // The name may hold brackets and blanks: the fields begin after the last bracket.
    let (name, fields) = stat.split_once('(')?.1.rsplit_once(')')?;
    let began: f64 = fields.split_whitespace().nth(19)?.parse().ok()?;
    let age = Duration::try_from_secs_f64(up - began / TICKS_PER_SECOND).unwrap_or_default();
    let mut argv = shown_words(&line);
    if argv.is_empty() {
        argv.push(format!("[{}]", escape_hidden(name)));
    }
    Some(MachineProcess { pid, argv, age_ms: u64::try_from(age.as_millis()).unwrap_or(u64::MAX) })
}

/// The arguments of a command line without secrets and hidden characters: also none that stands behind its option, or that a
/// cut would hide from the rules.
fn shown_words(line: &[u8]) -> Vec<String> {
    let words = line.split(|byte| *byte == 0).filter(|word| !word.is_empty());
    let mut words: Value = words.map(|word| Value::from(String::from_utf8_lossy(word))).collect();
    redact::redact_value(&mut words);
    let mut left = SHOWN;
    let mut shown = Vec::new();
    for word in words.as_array().into_iter().flatten().filter_map(Value::as_str) {
        let word = escape_hidden(word);
        let end = word.floor_char_boundary(left);
        shown.push(word[..end].to_owned());
        left -= end;
        if end < word.len() {
            shown.push("…".to_owned());
            break;
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_is_shown_behind_its_option_or_at_a_cut() {
        let shown = shown_words(b"app\0--password\0hunter\0--token=abcdefghijkl\0file\0").join(" ");
        assert!(!shown.contains("hunter") && !shown.contains("abcdef") && shown.ends_with("file"), "{shown}");
        let key = format!("ghp_{}", "a1B2c3D4e5".repeat(4));
        for before in [SHOWN - 20, SHOWN - 3, SHOWN] {
            let line =
                [b"app\0".to_vec(), vec![b'x'; before], b"\0".to_vec(), key.clone().into_bytes()].concat();
            let shown = shown_words(&line).join(" ");
            assert!(!shown.contains("ghp_a"), "{shown}");
            assert!(shown.len() < SHOWN + 100);
        }
        assert!(shown_words(&vec![b'x'; 2 * SHOWN]).ends_with(&["…".to_owned()]));
    }

    #[test]
    fn this_process_is_among_them() {
        let own = list_processes().unwrap().into_iter().find(|process| process.pid == std::process::id());
        let own = own.unwrap();
        assert!(own.argv[0].contains("wherefore"), "{own:?}");
        assert!(own.age_ms < 86_400_000, "{own:?}");
    }
}
