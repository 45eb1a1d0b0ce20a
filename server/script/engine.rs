//! One script in one engine: made, run until no work is left, reported.

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

/// When the time is over, and whether the engine was told so.
#[derive(Clone)]
struct Deadline {
    start: Instant,
    longest: Duration,
    over: Rc<Cell<bool>>,
}

/// Why a script ended without a word of its host.
enum Stop {
    Limit(ScriptLimit),
    Error(&'static str, String),
}

type Ended = std::result::Result<(), Stop>;

/// Runs `request` to its end, and emits its messages and how it ended.
pub(crate) fn run(request: &ScriptRequest, emit: Emit) {
    let deadline = Deadline::of(request);
    let stop = match in_engine(request, &emit, &deadline) {
        Ok(Ok(())) => return,
        Ok(Err(stop)) => stop,
        // What fails in the host's own work is the memory, or the time.
        Err(_) if deadline.is_over() => Stop::Limit(ScriptLimit::Time),
        Err(_) => Stop::Limit(ScriptLimit::Memory),
    };
    let end = stop.end();
    emit(&serde_json::to_string(&ReportLine::End(end)).unwrap_or_default(), None);
}

fn in_engine(request: &ScriptRequest, emit: &Emit, deadline: &Deadline) -> Result<Ended> {
    let runtime = Runtime::new()?;
    runtime.set_memory_limit(MEMORY);
    runtime.set_max_stack_size(STACK);
    let clock = deadline.clone();
    runtime.set_interrupt_handler(Some(Box::new(move || clock.is_over())));
    let context = Context::full(&runtime)?;
    let host = context.with(|ctx| {
        ctx.globals().set("input", ctx.json_parse(request.input.to_string())?)?;
        Ok::<_, rquickjs::Error>(Persistent::save(&ctx, host(&ctx, emit.clone(), deadline)?))
    })?;
    runtime.set_host_promise_rejection_tracker(Some(rejections(host.clone())));
    let ended = context.with(|ctx| Script { host: host.restore(&ctx)?, ctx, deadline }.run(&request.code));
    runtime.set_host_promise_rejection_tracker(None);
    ended
}

/// What the code finds beside the language, and what this module asks for.
fn host<'js>(ctx: &Ctx<'js>, emit: Emit, deadline: &Deadline) -> Result<Object<'js>> {
    let write = Function::new(ctx.clone(), move |line: String, shown: Option<String>| {
        emit(&line, shown.as_deref());
    })?;
    let start = deadline.start;
    let now = Function::new(ctx.clone(), move || start.elapsed().as_secs_f64() * 1000.0)?;
    let connect: Function = evaluate(ctx, include_str!("host.js"), "host.js", false)?;
    let furnish: Function = evaluate(ctx, include_str!("quickjs.js"), "host.js", false)?;
    furnish.call((connect.call::<_, Object>((write,))?, now))
}

/// Tells the host of rejected promises that nobody handles, and of those that somebody handles later.
fn rejections(host: Persistent<Object<'static>>) -> RejectionTracker {
    Box::new(move |ctx, promise, reason, handled| {
        let told = host.clone().restore(&ctx);
        let told = told.and_then(|host| host.get::<_, Function>("rejected"));
        let _: Result<()> = told.and_then(|rejected| rejected.call((promise, reason, handled)));
    })
}

fn evaluate<'js, V: rquickjs::FromJs<'js>>(
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

struct Script<'js, 'd> {
    ctx: Ctx<'js>,
    host: Object<'js>,
    deadline: &'d Deadline,
}

impl<'js> Script<'js, '_> {
    /// Runs code until no work is left, and has the host say what came of it.
    fn run(&self, code: &str) -> Result<Ended> {
        if code.contains('\0') {
            let message = "the code holds a NUL character".to_owned();
            return Ok(Err(Stop::Error("SyntaxError", message)));
        }
        match self.start(code)? {
            Ok(promise) => self.call::<_, ()>("follow", (promise,))?,
            Err(error) if self.deadline.over.get() => {
                drop(error);
                return Ok(Err(Stop::Limit(ScriptLimit::Time)));
            }
            Err(error) => self.call::<_, ()>("fail", (error,))?,
        }
        match self.drive()? {
            Ok(()) if self.call::<_, bool>("end", ())? => Ok(Ok(())),
            Ok(()) => Ok(Err(Stop::unsettled())),
            stopped => Ok(stopped),
        }
    }

    /// Starts the code as it stands, else as an expression, else as the body of a function. Code that does not parse ran in
    /// no part, so it can be read once more.
    fn start(&self, code: &str) -> Result<std::result::Result<Promise<'js>, Value<'js>>> {
        let trimmed = code.trim();
        let is_braced = trimmed.starts_with('{') && trimmed.ends_with('}');
        if is_braced && let Ok(promise) = self.read(code, EXPRESSION)? {
            return Ok(Ok(promise));
        }
        let plain = self.read(code, ["", ""])?;
        let Err(error) = plain else { return Ok(plain) };
        if !self.deadline.over.get() && code.contains("return") && self.call("is_syntax", (error.clone(),))? {
            return self.read(code, BODY);
        }
        Ok(Err(error))
    }

    fn read(
        &self,
        code: &str,
        [before, after]: [&str; 2],
    ) -> Result<std::result::Result<Promise<'js>, Value<'js>>> {
        self.call::<_, ()>("read", (code, before.len()))?;
        match evaluate(&self.ctx, &format!("{before}{code}{after}"), NAME, true) {
            Ok(promise) => Ok(Ok(promise)),
            Err(rquickjs::Error::Exception) => Ok(Err(self.ctx.catch())),
            Err(other) => Err(other),
        }
    }

    /// Runs jobs and timers until there are none, or something failed.
    fn drive(&self) -> Result<Ended> {
        loop {
            while !self.deadline.is_over() && self.ctx.execute_pending_job() {}
            if self.deadline.is_over() {
                return Ok(Err(Stop::Limit(ScriptLimit::Time)));
            }
            if self.call("has_failed", ())? {
                return Ok(Ok(()));
            }
            let Some(pause) = self.call::<_, Option<f64>>("next", ())? else { return Ok(Ok(())) };
            let pause = Duration::try_from_secs_f64(pause / 1000.0).unwrap_or_default();
            thread::sleep(pause.min(self.deadline.left()));
            if !self.deadline.is_over()
                && let Err(error) = self.call::<_, ()>("fire", ())
            {
                let rquickjs::Error::Exception = error else { return Err(error) };
                let error = self.ctx.catch();
                if !self.deadline.is_over() {
                    self.call::<_, ()>("fail", (error,))?;
                }
            }
        }
    }

    fn call<A, R>(&self, name: &str, arguments: A) -> Result<R>
    where
        A: rquickjs::function::IntoArgs<'js>,
        R: rquickjs::FromJs<'js>,
    {
        self.host.get::<_, Function>(name)?.call(arguments)
    }
}

impl Deadline {
    fn of(request: &ScriptRequest) -> Self {
        let longest = Duration::from_millis(request.time_ms);
        Self { start: Instant::now(), longest, over: Rc::default() }
    }

    fn left(&self) -> Duration {
        self.longest.saturating_sub(self.start.elapsed())
    }

    fn is_over(&self) -> bool {
        if !self.over.get() && self.left().is_zero() {
            self.over.set(true);
        }
        self.over.get()
    }
}

impl Stop {
    fn unsettled() -> Self {
        let message = "the code waits for a promise that nothing settles: no timer and no job is left";
        Self::Error("UnsettledPromise", message.to_owned())
    }

    fn end(self) -> ScriptEnd {
        match self {
            Self::Limit(limit) => ScriptEnd { limit: Some(limit), ..ScriptEnd::default() },
            Self::Error(name, message) => {
                let error = ScriptError { name: name.to_owned(), message, line: None, column: None };
                ScriptEnd { error: Some(error), ..ScriptEnd::default() }
            }
        }
    }
}
