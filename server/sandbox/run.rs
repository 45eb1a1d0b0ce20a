//! `sandbox-run`: runs a command confined, for tests and benchmarks.
//!
//! ```text
//! sandbox-run --probe
//! sandbox-run [--root DIR] [--tier A|B] [--read-only PATH]... [--toolchain PATH]... [--write PATH]... [--mask PATH]...
//!             [--protect PATH]... [--overlay UPPER] [--quarantine DIR] [--env NAME=VALUE]... [--wall-ms N]
//!             [--memory-mb N] [--scratch-mb N] [--disk-mb N] [--processes N] [--as-json] -- COMMAND...
//! ```
//!
//! The root is readable, and writable where `--write` names it. Without `--root` it is the current folder, and writable.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use wherefore_sandbox::{
    Effects, Launcher, Level, Plan, Report, SUBCOMMAND, SandboxError, Streams, enter_with,
};

fn main() -> ExitCode {
    match std::env::args_os().nth(1) {
        Some(first) if first == SUBCOMMAND => return enter_with(look),
        Some(first) if first == "--probe" => return probe(),
        _ => {}
    }
    match plan(std::env::args_os().skip(1)).and_then(|(plan, as_json)| run(plan, as_json)) {
        Ok(code) => code,
        Err(message) => {
            let _ = writeln!(io::stderr(), "sandbox-run: {message}");
            ExitCode::from(125)
        }
    }
}

/// The routine of the tests: it copies its input, and tells which files it sees and how many descriptors it has.
fn look() -> i32 {
    let mut input = String::new();
    let read = io::stdin().read_to_string(&mut input);
    let names = |path: &str| {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        let mut names: Vec<_> = entries.map(|entry| entry.file_name().display().to_string()).collect();
        names.sort();
        names.join(" ")
    };
    let open = (0..64).filter(|number| std::fs::metadata(format!("/dev/fd/{number}")).is_ok()).count();
    let told = writeln!(io::stdout(), "{input}|{}|{}|{open}", names("/"), names("/usr"));
    i32::from(read.is_err() || told.is_err())
}

/// Prints what this machine offers.
fn probe() -> ExitCode {
    let tier = serde_json::json!(Launcher::own().probe());
    match writeln!(io::stdout(), "{tier}") {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn plan(mut arguments: impl Iterator<Item = OsString>) -> Result<(Plan, bool), String> {
    let here = std::env::current_dir().map_err(|error| error.to_string())?;
    let mut plan = Plan::new(&here, Vec::<OsString>::new());
    let (mut as_json, mut rooted) = (false, false);
    while let Some(option) = arguments.next() {
        let option = option.into_string().map_err(|option| format!("{} is no option", option.display()))?;
        match option.as_str() {
            "--" => break,
            "--as-json" => as_json = true,
            _ => {
                let value = arguments.next().ok_or_else(|| format!("{option} wants a value"))?;
                rooted |= option == "--root";
                set(&mut plan, &option, value)?;
            }
        }
    }
    if !rooted {
        plan.writable.push(here);
    }
    plan.argv = arguments.collect();
    Ok((plan, as_json))
}

fn set(plan: &mut Plan, option: &str, value: OsString) -> Result<(), String> {
    match option {
        "--root" => {
            plan.cwd = value.clone().into();
            plan.read_only[0] = value.into();
        }
        "--read-only" => plan.read_only.push(value.into()),
        "--toolchain" => plan.toolchains.push(value.into()),
        "--scratch-mb" => plan.limits.scratch = number(&value)? << 20,
        "--write" => plan.writable.push(value.into()),
        "--mask" => plan.masked.push(value.into()),
        "--protect" => plan.protected.push(value.into()),
        "--env" => plan.env.push(pair(&value)?),
        "--wall-ms" => plan.limits.wall = Some(Duration::from_millis(number(&value)?)),
        "--memory-mb" => plan.limits.memory = Some(number(&value)? << 20),
        "--disk-mb" => plan.limits.disk = Some(number(&value)? << 20),
        "--processes" => plan.limits.processes = u32::try_from(number(&value)?).ok(),
        "--quarantine" => plan.quarantine = Some(value.into()),
        "--overlay" => plan.effects = Effects::Overlay { folder: value.into(), direct: Vec::new() },
        "--tier" if value == "A" => plan.lowest = Level::Namespaces,
        "--tier" if value == "A'" => plan.lowest = Level::Bubblewrap,
        "--tier" if value == "B" => plan.lowest = Level::Landlock,
        _ => return Err(format!("{option} {} is no option", value.display())),
    }
    Ok(())
}

fn number(value: &OsString) -> Result<u64, String> {
    value
        .to_str()
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| format!("{} is no number", value.display()))
}

fn pair(value: &OsString) -> Result<(OsString, OsString), String> {
    let (name, value) = value.to_str().and_then(|text| text.split_once('=')).ok_or("NAME=VALUE is wanted")?;
    Ok((name.into(), value.into()))
}

fn run(mut plan: Plan, as_json: bool) -> Result<ExitCode, String> {
    plan.streams = if as_json { Streams::Piped { input: false } } else { Streams::Inherited };
    let told = |error: &SandboxError| {
        let source = std::error::Error::source(error).map(|source| format!(": {source}"));
        format!("{error}{}", source.unwrap_or_default())
    };
    let launcher = Launcher::own().taking(plan.lowest);
    let mut running = launcher.spawn(&plan).map_err(|error| told(&error))?;
    let output = reader(running.take_output());
    let errors = reader(running.take_errors());
    let report = running.wait().map_err(|error| told(&error))?;
    let texts = [output, errors].map(|reader| reader.join().unwrap_or_default());
    if as_json {
        print(&report, &texts).map_err(|error| error.to_string())?;
        return Ok(ExitCode::SUCCESS);
    }
    Ok(ExitCode::from(code(&report)))
}

fn reader(stream: Option<OwnedFd>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(stream) = stream {
            let _ = File::from(stream).read_to_end(&mut bytes);
        }
        bytes
    })
}

fn print(report: &Report, texts: &[Vec<u8>; 2]) -> io::Result<()> {
    let [stdout, stderr] = texts.each_ref().map(|text| String::from_utf8_lossy(text));
    let all = serde_json::json!({ "report": report, "stdout": stdout, "stderr": stderr });
    writeln!(io::stdout(), "{all}")
}

/// The code that a shell gives: the command's own, 124 after the time limit, 137 after another limit, 128 and the signal.
fn code(report: &Report) -> u8 {
    let code = match (report.limit, report.exit_code, report.signal) {
        (Some(wherefore_sandbox::Limit::Wall), ..) => 124,
        (Some(_), ..) => 137,
        (None, Some(code), _) => code,
        (None, None, signal) => 128 + signal.unwrap_or_default(),
    };
    u8::try_from(code).unwrap_or(u8::MAX)
}
