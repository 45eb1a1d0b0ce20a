//! A command that a person runs in their own terminal, confined as one of an agent's is.

use std::time::Duration;

use super::changes;
use super::error::ExecutionError;
use super::layer::Layer;
use super::run::Watched;
use super::{CommandRequest, Executor, carrier, plan, run};
use crate::base::blocking;
use crate::registry::Draft;
use crate::sandbox::{Effects, Report, Running, Streams};
use crate::session::Scope;

/// Variables of a terminal, which a command of the person's has as they are.
const TERMINAL: [&str; 3] = ["TERM", "COLORTERM", "NO_COLOR"];

/// A command of the person's.
#[derive(Clone, Debug)]
pub(crate) struct AttachedRequest {
    /// What is run. Its input and its limit do not count: it reads the person's terminal.
    pub(crate) command: CommandRequest,
    /// How long it may run; as long as it likes when absent.
    pub(crate) limit: Option<Duration>,
    /// Whether what it changes is read back, and not written.
    pub(crate) is_reviewed: bool,
}

/// How it ended, and what it changed where that is reviewed.
#[derive(Debug)]
pub(crate) struct AttachedOutcome {
    /// How it ended.
    pub(crate) report: Report,
    /// What it changed.
    pub(crate) draft: Draft,
    /// Changes that were not taken, a sentence each.
    pub(crate) left_out: Vec<String>,
}

impl Executor {
    /// Runs a command on the streams and the terminal of this process, to its end. Cancelling `scope` ends it.
    ///
    /// # Errors
    /// As [`Executor::run`].
    pub(crate) async fn run_attached(
        &self,
        scope: &Scope,
        request: &AttachedRequest,
    ) -> Result<AttachedOutcome, ExecutionError> {
        let layer = request.is_reviewed.then(|| Layer::make(scope.files().state())).transpose()?;
        let (running, carrier) = blocking(|| self.start_attached(scope, request, layer.as_ref()))?;
        let report = run::to_its_end(scope, running, None, None, Watched::Both).await?.report;
        drop(carrier);
        let (draft, left_out) = match report.overlays.first() {
            Some(overlay) => blocking(|| changes::read(scope, overlay))?,
            None => <(Draft, Vec<String>)>::default(),
        };
        Ok(AttachedOutcome { report, draft, left_out })
    }

    fn start_attached(
        &self,
        scope: &Scope,
        request: &AttachedRequest,
        layer: Option<&Layer>,
    ) -> Result<(Running, Option<carrier::Carrier>), ExecutionError> {
        let closures = self.closures(scope)?;
        let direct = closures.ignored.clone();
        let effects = match layer {
            Some(layer) => Effects::Overlay { folder: layer.path().to_owned(), direct: direct.clone() },
            None => Effects::WriteThrough,
        };
        let mut plan = plan::plan(scope, &request.command, closures, effects);
        if layer.is_some() {
            plan.writable.extend(direct);
        }
        plan.streams = Streams::Inherited;
        plan.limits.wall = request.limit;
        plan.env.retain(|(name, _)| !TERMINAL.iter().any(|own| name == own));
        let own = TERMINAL.iter().filter_map(|name| Some(((*name).into(), std::env::var_os(name)?)));
        plan.env.extend(own);
        let mut running = self.launcher.spawn(&plan)?;
        let carrier = carrier::start(&mut running, &plan, &request.command.hosts)?;
        Ok((running, carrier))
    }
}
