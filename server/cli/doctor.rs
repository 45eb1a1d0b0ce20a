//! `wherefore doctor`: what works on this machine, and how to mend what does not.

mod agents;
mod connection;
mod editors;
mod kernel;
mod models;
mod places;
mod plugins;
mod settings;
mod slot;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueHint};
use serde::Serialize;

use super::print::{self, TerminalPage, TextLook};
pub(super) use editors::usable;

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

/// How a check went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum CheckOutcome {
    /// It works.
    Well,
    /// It does not, and we do without.
    Lacking,
    /// It does not, and something we promise depends on it.
    Broken,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Check {
    /// What was looked at.
    name: &'static str,
    /// How it went.
    health: CheckOutcome,
    /// What was found.
    found: String,
    /// What it does not do, though it works.
    #[serde(skip_serializing_if = "Option::is_none")]
    gap: Option<String>,
    /// How to mend it.
    #[serde(skip_serializing_if = "Option::is_none")]
    mend: Option<String>,
}

impl Check {
    /// It works.
    fn well(name: &'static str, found: impl Into<String>) -> Self {
        Self { name, health: CheckOutcome::Well, found: found.into(), gap: None, mend: None }
    }

    /// It does not work, and we do without.
    fn lacking(name: &'static str, found: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { name, health: CheckOutcome::Lacking, found: found.into(), gap: None, mend: Some(mend.into()) }
    }

    /// It does not work, and must.
    fn broken(name: &'static str, found: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { health: CheckOutcome::Broken, ..Self::lacking(name, found, mend) }
    }
}

/// Looks at everything. It fails when something is broken; what is only lacking is told.
pub(super) fn run(args: &DoctorArgs) -> ExitCode {
    // Every check looks at the current folder, as the agents' programs do that some of them start.
    if let Some(root) = &args.root
        && let Err(error) = std::env::set_current_dir(root)
    {
        return print::exit(Err(io::Error::new(error.kind(), format!("{}: {error}", root.display()))));
    }
    let mut checks = kernel::checks();
    checks.extend(places::checks());
    checks.push(settings::check());
    checks.extend(editors::checks());
    checks.extend(plugins::checks());
    checks.extend(models::checks());
    checks.extend(agents::checks());
    checks.extend(connection::checks());
    checks.extend(slot::check());
    let broken = checks.iter().any(|check| check.health == CheckOutcome::Broken);
    let shown = if args.json { json(&checks, !broken) } else { page(&checks, broken) };
    let code = if broken { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    print::exit(shown.map(|()| code))
}

/// The checks as one JSON object.
fn json(checks: &[Check], healthy: bool) -> io::Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    let report = serde_json::json!({"version": version, "healthy": healthy, "checks": checks});
    TerminalPage::stdout().line(serde_json::to_string_pretty(&report)?)
}

/// Columns of a mark and a name.
const MARGIN: usize = 25;

/// The checks, a line each, with how to mend what lacks.
fn page(checks: &[Check], broken: bool) -> io::Result<()> {
    let page = TerminalPage::stdout();
    page.line(page.paint(TextLook::Bold, concat!("wherefore ", env!("CARGO_PKG_VERSION"))))?;
    for check in checks {
        let (look, mark) = match check.health {
            CheckOutcome::Well => (TextLook::Green, "✓"),
            CheckOutcome::Lacking => (TextLook::Yellow, "-"),
            CheckOutcome::Broken => (TextLook::Red, "✗"),
        };
        let found = page.hung(MARGIN, None, &check.found);
        page.line(format!("{} {:<22} {found}", page.paint(look, mark), check.name))?;
        for more in check.gap.iter().chain(&check.mend) {
            page.line(format!("{:MARGIN$}{}", "", page.hung(MARGIN, Some(TextLook::Dim), more)))?;
        }
    }
    page.line(match broken {
        true => page.paint(TextLook::Red, "A required check failed."),
        false => page.paint(TextLook::Green, "All required checks passed."),
    })
}
