//! `sandbox-run`: runs a command confined, for tests and benchmarks.
//!
//! ```text
//! sandbox-run --probe
//! sandbox-run [--root DIR] [--tier A|A'|B|best] [--read-only PATH]... [--toolchain PATH]... [--write PATH]... [--mask PATH]...
//!             [--empty PATH]... [--protect PATH]... [--guard NAME]... [--overlay UPPER] [--quarantine DIR] [--env NAME=VALUE]...
//!             [--wall-ms N] [--network shared]
//!             [--memory-mb N] [--scratch-mb N] [--disk-mb N] [--processes N] [--as-json] -- COMMAND...
//! ```
//!
//! The root is readable, and writable where `--write` names it. Without `--root` it is the current folder, and writable.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::process::ExitCode;
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use wherefore_sandbox::{
    PathGuard, RunReport, SUBCOMMAND, SandboxError, SandboxLauncher, SandboxLevel, SandboxPlan,
    SessionNetwork, StandardStreams, WriteEffects, enter_with,
};

/// The network of `--network shared`, which has no other command in it.
static NETWORK: OnceLock<SessionNetwork> = OnceLock::new();

fn main() -> ExitCode {
    match std::env::args_os().nth(1) {
        Some(first) if first == SUBCOMMAND => return enter_with(look_routine),
        Some(first) if first == "--probe" => return print_tier(),
        _ => {}
    }
    match parse_arguments(std::env::args_os().skip(1)).and_then(|(plan, options)| run_plan(plan, options)) {
        Ok(code) => code,
        Err(message) => {
            let _ = writeln!(io::stderr(), "sandbox-run: {message}");
            ExitCode::from(125)
        }
    }
}

/// The routine of the tests: it copies its input, and prints the files that it sees and the number of its
/// descriptors.
fn look_routine() -> i32 {
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
fn print_tier() -> ExitCode {
    let tier = serde_json::json!(SandboxLauncher::own().probe());
    match writeln!(io::stdout(), "{tier}") {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// The options that are not the plan's.
#[derive(Clone, Copy, Default)]
struct RunOptions {
    /// True where the report and the output are printed as JSON.
    as_json: bool,
    /// True where the tier is the best of this machine, and not the one that is named.
    finds_tier: bool,
}

fn parse_arguments(
    mut arguments: impl Iterator<Item = OsString>,
) -> Result<(SandboxPlan, RunOptions), String> {
    let here = std::env::current_dir().map_err(|error| error.to_string())?;
    let mut plan = SandboxPlan::new(&here, Vec::<OsString>::new());
    let (mut options, mut rooted, mut guarded) = (RunOptions::default(), false, Vec::new());
    while let Some(option) = arguments.next() {
        let option = option.into_string().map_err(|option| format!("{} is no option", option.display()))?;
        match option.as_str() {
            "--" => break,
            "--as-json" => options.as_json = true,
            _ => {
                let value = arguments.next().ok_or_else(|| format!("{option} wants a value"))?;
                rooted |= option == "--root";
                options.finds_tier |= option == "--tier" && value == "best";
                match option.as_str() {
                    "--guard" => guarded.push(value.to_string_lossy().into_owned()),
                    _ => set_option(&mut plan, &option, value)?,
                }
            }
        }
    }
    if !rooted {
        plan.writable.push(here);
    }
    plan.guard = PathGuard::of_names(guarded);
    plan.argv = arguments.collect();
    Ok((plan, options))
}

fn set_option(plan: &mut SandboxPlan, option: &str, value: OsString) -> Result<(), String> {
    match option {
        "--root" => {
            plan.cwd = value.clone().into();
            plan.read_only[0] = value.into();
        }
        "--read-only" => plan.read_only.push(value.into()),
        "--toolchain" => plan.toolchains.push(value.into()),
        "--scratch-mb" => plan.limits.scratch = parse_number(&value)? << 20,
        "--write" => plan.writable.push(value.into()),
        "--mask" => plan.masked.push(value.into()),
        "--empty" => plan.emptied.push(value.into()),
        "--protect" => plan.protected.push(value.into()),
        "--network" if value == "shared" => {
            let made = SandboxLauncher::own().make_network().map_err(|error| error.to_string())?;
            plan.shared_network = Some(made.namespaces());
            // Its process ends with this one.
            NETWORK.get_or_init(|| made);
        }
        "--env" => plan.env.push(parse_pair(&value)?),
        "--wall-ms" => plan.limits.wall = Some(Duration::from_millis(parse_number(&value)?)),
        "--memory-mb" => plan.limits.memory = Some(parse_number(&value)? << 20),
        "--disk-mb" => plan.limits.disk = Some(parse_number(&value)? << 20),
        "--processes" => plan.limits.processes = u32::try_from(parse_number(&value)?).ok(),
        "--quarantine" => plan.quarantine = Some(value.into()),
        "--overlay" => plan.effects = WriteEffects::Overlay { folder: value.into(), direct: Vec::new() },
        "--tier" if value == "A" => plan.lowest = SandboxLevel::Namespaces,
        "--tier" if value == "A'" => plan.lowest = SandboxLevel::Bubblewrap,
        "--tier" if value == "B" || value == "best" => plan.lowest = SandboxLevel::Landlock,
        _ => return Err(format!("{option} {} is no option", value.display())),
    }
    Ok(())
}

fn parse_number(value: &OsString) -> Result<u64, String> {
    value
        .to_str()
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| format!("{} is no number", value.display()))
}

fn parse_pair(value: &OsString) -> Result<(OsString, OsString), String> {
    let (name, value) = value.to_str().and_then(|text| text.split_once('=')).ok_or("NAME=VALUE is wanted")?;
    Ok((name.into(), value.into()))
}

fn run_plan(mut plan: SandboxPlan, options: RunOptions) -> Result<ExitCode, String> {
    plan.streams =
        if options.as_json { StandardStreams::Piped { input: false } } else { StandardStreams::Inherited };
    let told = |error: &SandboxError| {
        let source = std::error::Error::source(error).map(|source| format!(": {source}"));
        format!("{error}{}", source.unwrap_or_default())
    };
    let launcher = match options.finds_tier {
        true => SandboxLauncher::own(),
        false => SandboxLauncher::own().assume_level(plan.lowest),
    };
    let mut running = launcher.spawn(&plan).map_err(|error| told(&error))?;
    let output = spawn_reader(running.take_output());
    let errors = spawn_reader(running.take_errors());
    let report = running.wait().map_err(|error| told(&error))?;
    let texts = [output, errors].map(|reader| reader.join().unwrap_or_default());
    if options.as_json {
        print_report(&report, &texts).map_err(|error| error.to_string())?;
        return Ok(ExitCode::SUCCESS);
    }
    Ok(ExitCode::from(shell_code(&report)))
}

fn spawn_reader(stream: Option<OwnedFd>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(stream) = stream {
            let _ = File::from(stream).read_to_end(&mut bytes);
        }
        bytes
    })
}

fn print_report(report: &RunReport, texts: &[Vec<u8>; 2]) -> io::Result<()> {
    let [stdout, stderr] = texts.each_ref().map(|text| String::from_utf8_lossy(text));
    let all = serde_json::json!({ "report": report, "stdout": stdout, "stderr": stderr });
    writeln!(io::stdout(), "{all}")
}

/// The code that a shell gives: the command's own, 124 after the time limit, 137 after another limit, 128 and the signal.
fn shell_code(report: &RunReport) -> u8 {
    let code = match (report.limit, report.exit_code, report.signal) {
        (Some(wherefore_sandbox::LimitKind::Wall), ..) => 124,
        (Some(_), ..) => 137,
        (None, Some(code), _) => code,
        (None, None, signal) => 128 + signal.unwrap_or_default(),
    };
    u8::try_from(code).unwrap_or(u8::MAX)
}
