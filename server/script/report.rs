//! The outcome of a script, as the lines that its process writes.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The most messages of the console that are read.
const MOST: usize = 1001;

/// The output of a script's process.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScriptReport {
    /// The messages of the console.
    pub logs: Vec<LogEntry>,
    /// The end of the script. `None`: the process ended first.
    pub end: Option<ScriptEnd>,
}

/// A message of the console.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogEntry {
    /// Its level.
    pub level: LogLevel,
    /// Its text.
    pub text: String,
}

/// The level of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogLevel {
    /// `console.debug` and `console.trace`.
    Debug,
    /// `console.log`, `console.dir` and `console.table`.
    Log,
    /// `console.info`.
    Info,
    /// `console.warn`.
    Warn,
    /// `console.error` and `console.assert`.
    Error,
}

/// The end of a script.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScriptEnd {
    /// Its value.
    #[serde(default)]
    pub result: Value,
    /// The error that ended it.
    #[serde(default)]
    pub error: Option<ScriptError>,
    /// The limit that ended it.
    #[serde(default)]
    pub limit: Option<ScriptLimit>,
    /// True if messages of the console are left out or cut.
    #[serde(default)]
    pub cut: bool,
}

/// An error that nothing caught.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptError {
    /// Its name, such as `TypeError`; `Uncaught` for a thrown value that is no error.
    pub name: String,
    /// Its message.
    pub message: String,
    /// The line of the code, counted from 1.
    #[serde(default)]
    pub line: Option<u32>,
    /// The column in that line, counted from 1.
    #[serde(default)]
    pub column: Option<u32>,
}

/// A limit of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScriptLimit {
    /// It ran too long.
    Time,
    /// It used too much memory.
    Memory,
}

/// A line.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ReportLine {
    Log(LogEntry),
    End(ScriptEnd),
}

impl ScriptReport {
    /// Reads what a process wrote. Nothing in it is trusted: a line of another kind is a message of the console.
    #[must_use]
    pub fn from_output(output: &[u8]) -> Self {
        let mut report = Self::default();
        for line in output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            match serde_json::from_slice(line) {
                Ok(ReportLine::End(end)) => report.end = Some(end),
                Ok(ReportLine::Log(entry)) => report.take_entry(entry),
                Err(_) => {
                    let text = String::from_utf8_lossy(line).into_owned();
                    report.take_entry(LogEntry { level: LogLevel::Log, text });
                }
            }
        }
        report
    }

    fn take_entry(&mut self, entry: LogEntry) {
        if self.logs.len() < MOST {
            self.logs.push(entry);
        }
    }
}
