//! A script in an engine: made, run until no work is left, reported.

use std::cell::Cell;
use std::rc::Rc;
use std::thread;
use std::time::{Duration, Instant};

use rquickjs::context::EvalOptions;
use rquickjs::runtime::RejectionTracker;
use rquickjs::{Context, Ctx, Function, Object, Persistent, Promise, Result, Runtime, Value};

use crate::report::{ReportLine, ScriptEnd, ScriptError, ScriptLimit};
use crate::request::ScriptRequest;

/// Bytes that the values of a script may take.
pub const MEMORY: usize = 256 << 20;
/// Bytes of stack. A thread has 2 MiB, a process 8.
const STACK: usize = 1 << 20;
/// The name of the code in stack traces; the host reads it there.
const NAME: &str = "code.js";
/// Ways to read code that does not stand as it is: as an expression in braces, as the body of a function.
const EXPRESSION: [&str; 2] = ["(", "\n)"];
const BODY: [&str; 2] = ["(async () => {", "\n})()"];

/// Takes a line of the report, and what of it is shown to a person.
pub(crate) type Emit = Rc<dyn Fn(&str, Option<&str>)>;

/// The end of the time, and whether the engine was stopped by it.
#[derive(Clone)]
struct ScriptDeadline {
    start: Instant,
    longest: Duration,
    over: Rc<Cell<bool>>,
}

/// The reason why a script ended without a report of its host.
enum ScriptStop {
    Limit(ScriptLimit),
    Error(&'static str, String),
}

type Ended = std::result::Result<(), ScriptStop>;

/// Runs `request` to its end, and emits its messages and how it ended.
pub(crate) fn run_script(request: &ScriptRequest, emit: Emit) {
    let deadline = ScriptDeadline::from_request(request);
    let stop = match in_engine(request, &emit, &deadline) {
        Ok(Ok(())) => return,
        Ok(Err(stop)) => stop,
        // An error in the host's own work is one of memory, or of time.
        Err(_) if deadline.is_over() => ScriptStop::Limit(ScriptLimit::Time),
        Err(_) => ScriptStop::Limit(ScriptLimit::Memory),
    };
    let end = stop.into_end();
    emit(&serde_json::to_string(&ReportLine::End(end)).unwrap_or_default(), None);
}

fn in_engine(request: &ScriptRequest, emit: &Emit, deadline: &ScriptDeadline) -> Result<Ended> {
    let runtime = Runtime::new()?;
    runtime.set_memory_limit(MEMORY);
    runtime.set_max_stack_size(STACK);
    let clock = deadline.clone();
    runtime.set_interrupt_handler(Some(Box::new(move || clock.is_over())));
    let context = Context::full(&runtime)?;
    let host = context.with(|ctx| {
        let input = ctx.json_parse(request.input.to_string())?;
        ctx.globals().set("input", input.clone())?;
        ctx.globals().set("input_json", input)?;
        Ok::<_, rquickjs::Error>(Persistent::save(&ctx, connect_host(&ctx, emit.clone(), deadline)?))
    })?;
    runtime.set_host_promise_rejection_tracker(Some(track_rejections(host.clone())));
    let ended =
        context.with(|ctx| EngineScript { host: host.restore(&ctx)?, ctx, deadline }.run_code(&request.code));
    runtime.set_host_promise_rejection_tracker(None);
    ended
}

/// Returns the objects that the code finds next to the language, and those that this module needs.
fn connect_host<'js>(ctx: &Ctx<'js>, emit: Emit, deadline: &ScriptDeadline) -> Result<Object<'js>> {
    let write = Function::new(ctx.clone(), move |line: String, shown: Option<String>| {
        emit(&line, shown.as_deref());
    })?;
    let start = deadline.start;
    let now = Function::new(ctx.clone(), move || start.elapsed().as_secs_f64() * 1000.0)?;
    let connect: Function = evaluate_code(ctx, include_str!("host.js"), "host.js", false)?;
    let furnish: Function = evaluate_code(ctx, include_str!("quickjs.js"), "host.js", false)?;
    furnish.call((connect.call::<_, Object>((write,))?, now))
}

/// Informs the host of rejected promises without a handler, and of those that get one later.
fn track_rejections(host: Persistent<Object<'static>>) -> RejectionTracker {
    Box::new(move |ctx, promise, reason, handled| {
        let told = host.clone().restore(&ctx);
        let told = told.and_then(|host| host.get::<_, Function>("rejected"));
        let _: Result<()> = told.and_then(|rejected| rejected.call((promise, reason, handled)));
    })
}

fn evaluate_code<'js, V: rquickjs::FromJs<'js>>(
    ctx: &Ctx<'js>,
    code: &str,
    name: &str,
    awaits: bool,
) -> Result<V> {
    let mut options = EvalOptions::default();
    options.strict = false;
    options.promise = awaits;
    options.filename = Some(name.to_owned());
    ctx.eval_with_options(code, options)
}

struct EngineScript<'js, 'd> {
    ctx: Ctx<'js>,
    host: Object<'js>,
    deadline: &'d ScriptDeadline,
}

impl<'js> EngineScript<'js, '_> {
    /// Runs code until no work is left, and has the host report the outcome.
    fn run_code(&self, code: &str) -> Result<Ended> {
        if code.contains('\0') {
            let message = "the code holds a NUL character".to_owned();
            return Ok(Err(ScriptStop::Error("SyntaxError", message)));
        }
        match self.start_code(code)? {
            Ok(promise) => self.call_host::<_, ()>("follow", (promise,))?,
            Err(error) if self.deadline.over.get() => {
                drop(error);
                return Ok(Err(ScriptStop::Limit(ScriptLimit::Time)));
            }
            Err(error) => self.call_host::<_, ()>("fail", (error,))?,
        }
        match self.run_jobs()? {
            Ok(()) if self.call_host::<_, bool>("end", ())? => Ok(Ok(())),
            Ok(()) => Ok(Err(ScriptStop::unsettled_promise())),
            stopped => Ok(stopped),
        }
    }

    /// Starts the code unchanged, else as an expression, else as the body of a function. Code that does not parse did
    /// not run at all, so it can be read once more.
    fn start_code(&self, code: &str) -> Result<std::result::Result<Promise<'js>, Value<'js>>> {
        let trimmed = code.trim();
        let is_braced = trimmed.starts_with('{') && trimmed.ends_with('}');
        if is_braced && let Ok(promise) = self.read_code(code, EXPRESSION)? {
            return Ok(Ok(promise));
        }
        let plain = self.read_code(code, ["", ""])?;
        let Err(error) = plain else { return Ok(plain) };
        if !self.deadline.over.get()
            && code.contains("return")
            && self.call_host("is_syntax", (error.clone(),))?
        {
            return self.read_code(code, BODY);
        }
        Ok(Err(error))
    }

    fn read_code(
        &self,
        code: &str,
        [before, after]: [&str; 2],
    ) -> Result<std::result::Result<Promise<'js>, Value<'js>>> {
        self.call_host::<_, ()>("read", (code, before.len()))?;
        match evaluate_code(&self.ctx, &format!("{before}{code}{after}"), NAME, true) {
            Ok(promise) => Ok(Ok(promise)),
            Err(rquickjs::Error::Exception) => Ok(Err(self.ctx.catch())),
            Err(other) => Err(other),
        }
    }

    /// Runs jobs and timers until there are none, or something failed.
    fn run_jobs(&self) -> Result<Ended> {
        loop {
            while !self.deadline.is_over() && self.ctx.execute_pending_job() {}
            if self.deadline.is_over() {
                return Ok(Err(ScriptStop::Limit(ScriptLimit::Time)));
            }
            if self.call_host("has_failed", ())? {
                return Ok(Ok(()));
            }
            let Some(pause) = self.call_host::<_, Option<f64>>("next", ())? else { return Ok(Ok(())) };
            let pause = Duration::try_from_secs_f64(pause / 1000.0).unwrap_or_default();
            thread::sleep(pause.min(self.deadline.time_left()));
            if !self.deadline.is_over()
                && let Err(error) = self.call_host::<_, ()>("fire", ())
            {
                let rquickjs::Error::Exception = error else { return Err(error) };
                let error = self.ctx.catch();
                if !self.deadline.is_over() {
                    self.call_host::<_, ()>("fail", (error,))?;
                }
            }
        }
    }

    fn call_host<A, R>(&self, name: &str, arguments: A) -> Result<R>
    where
        A: rquickjs::function::IntoArgs<'js>,
        R: rquickjs::FromJs<'js>,
    {
        self.host.get::<_, Function>(name)?.call(arguments)
    }
}

impl ScriptDeadline {
    fn from_request(request: &ScriptRequest) -> Self {
        let longest = Duration::from_millis(request.time_ms);
        Self { start: Instant::now(), longest, over: Rc::default() }
    }

    fn time_left(&self) -> Duration {
        self.longest.saturating_sub(self.start.elapsed())
    }

    fn is_over(&self) -> bool {
        if !self.over.get() && self.time_left().is_zero() {
            self.over.set(true);
        }
        self.over.get()
    }
}

impl ScriptStop {
    fn unsettled_promise() -> Self {
        let message = "the code waits for a promise that nothing settles: no timer and no job is left";
        Self::Error("UnsettledPromise", message.to_owned())
    }

    fn into_end(self) -> ScriptEnd {
        match self {
            Self::Limit(limit) => ScriptEnd { limit: Some(limit), ..ScriptEnd::default() },
            Self::Error(name, message) => {
                let error = ScriptError { name: name.to_owned(), message, line: None, column: None };
                ScriptEnd { error: Some(error), ..ScriptEnd::default() }
            }
        }
    }
}
