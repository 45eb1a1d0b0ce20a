//! A command that a person runs in their own terminal, confined as one of an agent's is.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::bounds::CommandBounds;
use super::changes;
use super::closures::Closures;
use super::command_layers::CommandLayers;
use super::direct::{self, DirectRequest};
use super::error::ExecutionError;
use super::in_place::{self, InPlaceWalls};
use super::layer::CommandLayer;
use super::run::WatchedStreams;
use super::{
    CommandExecutor, CommandRequest, connections, kept_apart, plan, run, sandbox_limits, session_caches,
};
use crate::base::run_blocking;
use crate::ports::SharedNetwork;
use crate::protocol::DirectWrites;
use crate::registry::CallDraft;
use crate::sandbox::{NetworkNamespaces, RunReport, RunningCommand, StandardStreams, WriteEffects};
use crate::session::CallScope;

/// Variables of a terminal, which a command of the person's has as they are.
const TERMINAL: [&str; 3] = ["TERM", "COLORTERM", "NO_COLOR"];

/// A command of the person's.
#[derive(Clone, Debug)]
pub(crate) struct AttachedRequest {
    /// The command. Its input and its limit are ignored: it reads the person's terminal.
    pub(crate) command: CommandRequest,
    /// The time that it may run; as long as it likes when absent.
    pub(crate) limit: Option<Duration>,
    /// True where what it changes is read back, and not written.
    pub(crate) is_reviewed: bool,
    /// True where it writes in place, and the server of the folder finds what it changed.
    pub(crate) is_in_place: bool,
    /// The network that it shares with other commands of its session.
    pub(crate) network: Option<SharedNetwork>,
}

/// The end of an attached command, and its changes where they are reviewed.
#[derive(Debug)]
pub(crate) struct AttachedOutcome {
    /// The report of its end.
    pub(crate) report: RunReport,
    /// The changes, as a draft.
    pub(crate) draft: CallDraft,
    /// Changes that were not taken, a sentence each.
    pub(crate) left_out: Vec<String>,
    /// The changes of ignored paths, which are already written.
    pub(crate) written: Vec<DirectWrites>,
}

impl CommandExecutor {
    /// Runs a command on the streams and the terminal of this process, to its end. Cancelling `scope` ends it.
    ///
    /// # Errors
    /// As [`CommandExecutor::run_within`].
    pub(crate) async fn run_attached(
        &self,
        scope: &CallScope,
        request: &AttachedRequest,
    ) -> Result<AttachedOutcome, ExecutionError> {
        let layer = request.is_reviewed.then(|| CommandLayer::make(scope.files().state())).transpose()?;
        // Only the changes of a layer are told apart by it.
        let kind = layer.as_ref().map(|_| self.command_kind(scope, &request.command));
        let began = SystemTime::now();
        let walls = match request.is_in_place {
            true => Some(in_place::find_walls(self, scope).await?),
            false => None,
        };
        let (running, layers, carrier) =
            run_blocking(|| self.start_attached(scope, request, layer.as_ref(), walls))?;
        let report = run::run_to_completion(scope, running, None, None, WatchedStreams::Both).await?.report;
        drop(carrier);
        let repository = run_blocking(|| layers.take_back(scope, &report))?;
        let limits = sandbox_limits::describe_limits(scope, &request.command.argv, &report);
        let kept = [repository, limits].concat();
        let (Some(overlay), Some(kind)) = (report.overlays.first(), kind) else {
            let (draft, left_out, written) = (CallDraft::default(), kept, Vec::new());
            return Ok(AttachedOutcome { report, draft, left_out, written });
        };
        let direct = DirectRequest { bounds: &CommandBounds::default(), kind, began };
        let direct = direct::write_ignored(self, scope, overlay, direct).await?;
        let (draft, mut left_out) = run_blocking(|| changes::read_changes(scope, overlay))?;
        left_out.extend(direct.left_out);
        left_out.extend(kept);
        Ok(AttachedOutcome { report, draft, left_out, written: direct.written })
    }

    fn start_attached(
        &self,
        scope: &CallScope,
        request: &AttachedRequest,
        layer: Option<&CommandLayer>,
        walls: Option<(Closures, InPlaceWalls)>,
    ) -> Result<(RunningCommand, CommandLayers, Option<connections::ConnectionCarrier>), ExecutionError> {
        let (closures, walls) = match walls {
            Some((closures, walls)) => (closures, Some(walls)),
            None => (self.closures.find_closures(scope)?, None),
        };
        let found = closures.clone();
        let effects = match layer {
            Some(layer) => WriteEffects::Overlay { folder: layer.path().to_owned(), direct: Vec::new() },
            None => WriteEffects::WriteThrough,
        };
        let mut plan = plan::plan_command(scope, &request.command, closures, effects);
        plan.earlier = kept_apart::earlier_layer(scope);
        if let Some(walls) = walls {
            walls.apply(&mut plan);
            plan.earlier = None;
        }
        let mut layers = match layer {
            Some(layer) => {
                CommandLayers::place(&mut plan, scope, (&found, Some(self.closures.index())), layer.path())?
            }
            None => CommandLayers::default(),
        };
        plan.streams = StandardStreams::Inherited;
        plan.limits.wall = request.limit;
        plan.env.retain(|(name, _)| !TERMINAL.iter().any(|own| name == own));
        let own = TERMINAL.iter().filter_map(|name| Some(((*name).into(), std::env::var_os(name)?)));
        plan.env.extend(own);
        // Where it is gone the command has a network of its own.
        plan.shared_network = request.network.and_then(|shared| {
            let id = (shared.device, shared.inode);
            NetworkNamespaces::open_network(shared.keeper, id).ok().map(Arc::new)
        });
        layers.caches = session_caches::place(&mut plan, scope, false);
        let mut running = self.launcher.spawn(&plan)?;
        let carrier = connections::start_carrier(&mut running, &plan, &request.command.hosts)?;
        Ok((running, layers, carrier))
    }
}
