//! The last steps before the command runs: limits, rights, Landlock, seccomp, and the program itself.

use std::ffi::{CString, OsStr};
use std::io;
use std::os::unix::ffi::OsStrExt;

use rustix::fs::Access;
use rustix::process::{Resource, Rlimit};
use rustix::thread::{CapabilitiesSecureBits, CapabilitySet, CapabilitySets};

use crate::confine;
use crate::control::ControlSocket;
use crate::enter::RoutineFn;
use crate::kernel;
use crate::linux;
use crate::memory;
use crate::seccomp::{self, AllowedSockets};
use crate::spec::{BuildStage, ConfinementWay, ControlMessage, SandboxSpec};
use crate::trouble::{AtStage, BuildFailure};

/// The highest number of files that a command may have open.
const OPEN_FILES: u64 = 4096;

/// The limit from which on only the measured use of memory counts. A program with AddressSanitizer reserves terabytes
/// and uses little, which a limit of the kernel cannot tell apart.
const MEASURED: u64 = 1 << 30;

/// The highest capability that a kernel may know.
const CAPABILITIES: u32 = 63;

/// Turns this process into the command. It returns only what kept it from that.
pub(crate) fn become_command(
    control: &ControlSocket,
    spec: &SandboxSpec,
    routine: RoutineFn,
) -> BuildFailure {
    let ready = prepare_process(spec);
    if let Err(trouble) = ready {
        return trouble;
    }
    if spec.announces_confinement {
        control.send_message(&ControlMessage::Confined);
    }
    if !spec.is_routine {
        return execute_program(spec);
    }
    match linux::close_others() {
        Ok(()) => std::process::exit(routine()),
        Err(error) => BuildFailure::new(BuildStage::Execute, error, OsStr::new("")),
    }
}

fn prepare_process(spec: &SandboxSpec) -> Result<(), BuildFailure> {
    if spec.own_session {
        rustix::process::setsid().at_stage(BuildStage::Rights)?;
    }
    linux::default_signals();
    apply_limits(spec).at_stage(BuildStage::Rights)?;
    linux::close_on_exec().at_stage(BuildStage::Rights)?;
    let cwd = spec.cwd.as_path();
    rustix::process::chdir(cwd).at_path(BuildStage::Folder, cwd)?;
    drop_rights(spec.way).at_stage(BuildStage::Rights)?;
    confine::restrict_process(spec).at_stage(BuildStage::Landlock)?;
    let sockets =
        if spec.way == ConfinementWay::Landlock { AllowedSockets::Pairs } else { AllowedSockets::Local };
    linux::filter_system_calls(&seccomp::build_filter(sockets)).at_stage(BuildStage::Seccomp)
}

fn apply_limits(spec: &SandboxSpec) -> io::Result<()> {
    let limits = &spec.limits;
    // The count is this user namespace's, in which the helper and init are two more.
    let counts = spec.way == ConfinementWay::Namespaces && kernel::is_since(kernel::OWN_PROCESS_COUNT);
    lower_limit(Resource::Nproc, limits.processes.filter(|_| counts).map(|most| u64::from(most) + 2))?;
    lower_limit(Resource::Core, Some(0))?;
    lower_limit(Resource::Nofile, Some(OPEN_FILES))?;
    lower_limit(Resource::Fsize, limits.file_size)?;
    // An allocator may have reserved more than the routine is to use.
    let reserved = if spec.is_routine { memory::reserved_bytes() } else { 0 };
    let most = limits.memory.filter(|most| spec.is_routine || *most < MEASURED);
    lower_limit(Resource::Data, most.map(|most| most.saturating_add(reserved)))?;
    lower_limit(Resource::Cpu, limits.cpu.map(|time| time.as_secs() + 1))
}

/// Lowers a limit; what the caller set lower stays.
fn lower_limit(resource: Resource, wanted: Option<u64>) -> io::Result<()> {
    let Some(wanted) = wanted else { return Ok(()) };
    let highest = rustix::process::getrlimit(resource).maximum.unwrap_or(u64::MAX).min(wanted);
    let limit = Rlimit { current: Some(highest), maximum: Some(highest) };
    Ok(rustix::process::setrlimit(resource, limit)?)
}

/// Drops every capability, for this program and for all that it executes.
fn drop_rights(way: ConfinementWay) -> io::Result<()> {
    if way == ConfinementWay::Namespaces {
        for number in 0..=CAPABILITIES {
            let one = CapabilitySet::from_bits_retain(1 << number);
            if rustix::thread::remove_capability_from_bounding_set(one).is_err() {
                break;
            }
        }
        rustix::thread::set_capabilities_secure_bits(
            CapabilitiesSecureBits::NO_ROOT
                | CapabilitiesSecureBits::NO_ROOT_LOCKED
                | CapabilitiesSecureBits::NO_SETUID_FIXUP
                | CapabilitiesSecureBits::NO_SETUID_FIXUP_LOCKED
                | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE
                | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE_LOCKED,
        )?;
    }
    let none = CapabilitySet::empty();
    rustix::thread::set_capabilities(
        None,
        CapabilitySets { effective: none, permitted: none, inheritable: none },
    )?;
    Ok(rustix::thread::set_no_new_privs(true)?)
}

/// Executes the program. Without a slash in its name, it is searched in the command's `PATH`.
fn execute_program(spec: &SandboxSpec) -> BuildFailure {
    let Some(name) = spec.argv.first() else {
        return BuildFailure::new(BuildStage::Execute, io::ErrorKind::NotFound.into(), OsStr::new(""));
    };
    let name = name.as_path().as_os_str();
    match c_arguments(spec) {
        Ok((argv, env)) => {
            let mut worst = libc::ENOENT;
            let is_there = |program: &CString| rustix::fs::access(program, Access::EXISTS).is_ok();
            for program in program_candidates(spec, name).into_iter().filter(is_there) {
                let error = linux::replace_process(&program, &argv, &env).raw_os_error().unwrap_or(worst);
                if !matches!(error, libc::ENOENT | libc::ENOTDIR) {
                    worst = error;
                }
                if !matches!(error, libc::ENOENT | libc::ENOTDIR | libc::EACCES) {
                    break;
                }
            }
            BuildFailure::new(BuildStage::Execute, io::Error::from_raw_os_error(worst), name)
        }
        Err(error) => BuildFailure::new(BuildStage::Execute, error, name),
    }
}

fn c_arguments(spec: &SandboxSpec) -> io::Result<(Vec<CString>, Vec<CString>)> {
    let strings = |texts: &[crate::bytes::OsBytes]| texts.iter().map(crate::bytes::OsBytes::to_c).collect();
    let argv: Result<_, std::ffi::NulError> = strings(&spec.argv);
    let env: Result<_, std::ffi::NulError> = strings(&spec.env);
    Ok((argv?, env?))
}

fn program_candidates(spec: &SandboxSpec, name: &OsStr) -> Vec<CString> {
    if name.as_bytes().contains(&b'/') {
        return CString::new(name.as_bytes()).into_iter().collect();
    }
    let path =
        spec.env.iter().find_map(|entry| entry.as_path().as_os_str().as_bytes().strip_prefix(b"PATH="));
    let folders =
        path.unwrap_or_default().split(|byte| *byte == b':').filter(|folder| folder.starts_with(b"/"));
    folders.filter_map(|folder| CString::new([folder, b"/", name.as_bytes()].concat()).ok()).collect()
}
