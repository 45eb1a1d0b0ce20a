//! `wherefore doctor`: checks this machine, and suggests a remedy for each problem.

mod agents;
mod connection;
mod editors;
mod kernel;
mod models;
mod places;
mod plugins;
mod servers;
mod settings;
mod trial;
mod trust;

use std::borrow::Cow;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueHint};
use serde::Serialize;

use super::print::{self, TerminalPage, TextLook};
pub(super) use editors::require_editor;

/// Check this machine and this folder, and say how to mend what does not work
#[derive(Debug, Args)]
pub(super) struct DoctorArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// The folder to check [default: the current folder]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub root: Option<PathBuf>,
}

/// The outcome of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum CheckOutcome {
    /// It works.
    Well,
    /// It fails, and wherefore works without it.
    Lacking,
    /// It fails, and a promised feature depends on it.
    Broken,
}

/// A check.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct DoctorCheck {
    /// The name of the check.
    name: Cow<'static, str>,
    /// The outcome.
    health: CheckOutcome,
    /// The finding.
    found: String,
    /// A limitation that remains although the check succeeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    gap: Option<String>,
    /// The remedy.
    #[serde(skip_serializing_if = "Option::is_none")]
    mend: Option<String>,
    /// The lines that the person runs for that, as they stand.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<String>,
}

impl DoctorCheck {
    /// A check that succeeded.
    fn well(name: impl Into<Cow<'static, str>>, found: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            health: CheckOutcome::Well,
            found: found.into(),
            gap: None,
            mend: None,
            lines: Vec::new(),
        }
    }

    /// A failed check of a feature that is optional.
    fn lacking(
        name: impl Into<Cow<'static, str>>,
        found: impl Into<String>,
        mend: impl Into<String>,
    ) -> Self {
        Self {
            name: name.into(),
            health: CheckOutcome::Lacking,
            found: found.into(),
            gap: None,
            mend: Some(mend.into()),
            lines: Vec::new(),
        }
    }

    /// A failed check of a feature that is required.
    fn broken(name: impl Into<Cow<'static, str>>, found: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { health: CheckOutcome::Broken, ..Self::lacking(name, found, mend) }
    }
}

/// Runs all checks. Fails if a required feature does not work; missing optional features are only reported.
pub(super) fn run_doctor(args: &DoctorArgs) -> ExitCode {
    // Every check looks at the current folder, as the agents' programs do that some of them start.
    if let Some(root) = &args.root
        && let Err(error) = std::env::set_current_dir(root)
    {
        return print::exit_with(Err(io::Error::new(error.kind(), format!("{}: {error}", root.display()))));
    }
    let mut checks = kernel::check_kernel();
    checks.extend(places::check_folders());
    checks.push(settings::check_settings());
    checks.push(settings::check_watch());
    checks.extend(editors::check_editors());
    checks.extend(plugins::check_plugins());
    checks.extend(models::check_models());
    checks.extend(servers::check_servers());
    checks.extend(agents::check_agents());
    checks.extend(connection::check_connections());
    let broken = checks.iter().any(|check| check.health == CheckOutcome::Broken);
    let shown = if args.json { print_json(&checks, !broken) } else { print_page(&checks, broken) };
    let code = if broken { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    print::exit_with(shown.map(|()| code))
}

/// The checks as one JSON object.
fn print_json(checks: &[DoctorCheck], healthy: bool) -> io::Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    let report = serde_json::json!({"version": version, "healthy": healthy, "checks": checks});
    TerminalPage::stdout().write_line(serde_json::to_string_pretty(&report)?)
}

/// Columns of a mark and a name.
const MARGIN: usize = 25;

/// The checks, a line each, with remedies for those that failed.
fn print_page(checks: &[DoctorCheck], broken: bool) -> io::Result<()> {
    let page = TerminalPage::stdout();
    page.write_line(page.paint(TextLook::Bold, concat!("wherefore ", env!("CARGO_PKG_VERSION"))))?;
    for check in checks {
        let (look, mark) = match check.health {
            CheckOutcome::Well => (TextLook::Green, "✓"),
            CheckOutcome::Lacking => (TextLook::Yellow, "-"),
            CheckOutcome::Broken => (TextLook::Red, "✗"),
        };
        let found = page.hang_text(MARGIN, None, &check.found);
        page.write_line(format!("{} {:<22} {found}", page.paint(look, mark), check.name))?;
        for more in check.gap.iter().chain(&check.mend) {
            page.write_line(format!("{:MARGIN$}{}", "", page.hang_text(MARGIN, Some(TextLook::Dim), more)))?;
        }
        check.lines.iter().try_for_each(|line| page.write_line(line))?;
    }
    page.write_line(match broken {
        true => page.paint(TextLook::Red, "A required check failed."),
        false => page.paint(TextLook::Green, "All required checks passed."),
    })
}
