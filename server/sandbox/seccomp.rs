//! The filter of system calls: which calls a confined command may not make, as a classic BPF program.
//!
//! The filter allows by default. It names the calls that open a part of the kernel which namespaces do not confine, that
//! change mounts or namespaces, that look into other processes, or that plant set-user-id files.

use libc::{EAFNOSUPPORT, ENOSYS, EPERM, c_long};

use crate::linux::BpfInstruction;

const LOAD: u16 = 0x20;
const JUMP_EQUAL: u16 = 0x15;
const JUMP_AT_LEAST: u16 = 0x35;
const JUMP_ANY_BIT: u16 = 0x45;
const AND: u16 = 0x54;
const RETURN: u16 = 0x06;

const ALLOW: u32 = 0x7fff_0000;
const KILL: u32 = 0x8000_0000;
const ERRNO: u32 = 0x0005_0000;

const NUMBER_AT: u32 = 0;
const ARCHITECTURE_AT: u32 = 4;

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xc000_00b7;

/// The lowest number of a call of the x32 interface, whose numbers pass by a filter that knows only the plain ones.
const FOREIGN_NUMBERS: u32 = 0x4000_0000;

/// Calls that answer "no such call", so that programs take the older way.
const ABSENT: [c_long; 5] = [
    libc::SYS_clone3,
    libc::SYS_openat2,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
];

/// Calls that answer "not permitted".
const FORBIDDEN: [c_long; 51] = [
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_process_madvise,
    libc::SYS_kcmp,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_fanotify_mark,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_acct,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    libc::SYS_lookup_dcookie,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    OPEN_TREE_ATTR,
];

/// Calls that reach what all processes of a machine share.
const SHARED: [c_long; 13] = [
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_semget,
    libc::SYS_semctl,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
];

/// Calls that change a process, and which argument names it. Only the calling process itself, by the number 0, is left.
const OF_PROCESSES: [(c_long, u32); 7] = [
    (libc::SYS_prlimit64, 0),
    (libc::SYS_setpriority, 1),
    (libc::SYS_ioprio_set, 1),
    (libc::SYS_sched_setaffinity, 0),
    (libc::SYS_sched_setparam, 0),
    (libc::SYS_sched_setscheduler, 0),
    (libc::SYS_sched_setattr, 0),
];

/// `open_tree_attr`, which the library of system calls does not name yet.
const OPEN_TREE_ATTR: c_long = 467;
/// `fchmodat2`, the same.
const FCHMODAT2: c_long = 452;

const SET_ID_BITS: u32 = libc::S_ISUID | libc::S_ISGID;
const CREATES: u32 = (libc::O_CREAT | (libc::O_TMPFILE & !libc::O_DIRECTORY)).cast_unsigned();
const NEW_NAMESPACES: u32 = (libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET)
    .cast_unsigned();

/// The sockets that a command may make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AllowedSockets {
    /// Unix and internet sockets; a network namespace keeps them inside.
    Local,
    /// Only a pair of connected sockets, if there is no network namespace.
    Pairs,
}

/// The program for `sockets`.
pub(crate) fn build_filter(sockets: AllowedSockets) -> Vec<BpfInstruction> {
    let mut program = vec![
        load_word(ARCHITECTURE_AT),
        jump_if(JUMP_EQUAL, ARCHITECTURE, 1, 0),
        return_answer(KILL),
        load_word(NUMBER_AT),
    ];
    program.extend([
        jump_if(JUMP_AT_LEAST, FOREIGN_NUMBERS, 0, 1),
        return_answer(ERRNO | ENOSYS.cast_unsigned()),
    ]);
    for call in ABSENT {
        refuse_call(&mut program, call, ENOSYS);
    }
    for call in FORBIDDEN {
        refuse_call(&mut program, call, EPERM);
    }
    refuse_set_id_modes(&mut program);
    add_call_rule(&mut program, libc::SYS_clone, &refuse_bits(0, NEW_NAMESPACES));
    add_call_rule(&mut program, libc::SYS_ioctl, &terminal_rule());
    add_call_rule(&mut program, libc::SYS_personality, &personality_rule());
    match sockets {
        AllowedSockets::Local => add_call_rule(&mut program, libc::SYS_socket, &socket_family_rule()),
        AllowedSockets::Pairs => without_namespaces(&mut program),
    }
    add_call_rule(&mut program, libc::SYS_socketpair, &socket_pair_rule());
    program.push(return_answer(ALLOW));
    program
}

/// Blocks the calls that namespaces would confine: sockets, memory and queues that processes share, and calls by
/// which a process acts on another one of its user.
fn without_namespaces(program: &mut Vec<BpfInstruction>) {
    refuse_call(program, libc::SYS_socket, EPERM);
    for call in SHARED {
        refuse_call(program, call, EPERM);
    }
    for (call, process) in OF_PROCESSES {
        add_call_rule(
            program,
            call,
            &[
                load_word(argument_offset(process)),
                jump_if(JUMP_EQUAL, 0, 0, 1),
                return_answer(ALLOW),
                not_permitted(),
            ],
        );
    }
}

/// Calls that set the mode of a file: none plants a set-user-id or set-group-id file, or a device.
fn refuse_set_id_modes(program: &mut Vec<BpfInstruction>) {
    #[cfg(target_arch = "x86_64")]
    {
        add_call_rule(program, libc::SYS_chmod, &refuse_bits(1, SET_ID_BITS));
        add_call_rule(program, libc::SYS_creat, &refuse_bits(1, SET_ID_BITS));
        add_call_rule(program, libc::SYS_open, &open_rule(1));
        add_call_rule(program, libc::SYS_mknod, &make_rule(1));
    }
    add_call_rule(program, libc::SYS_fchmod, &refuse_bits(1, SET_ID_BITS));
    add_call_rule(program, libc::SYS_fchmodat, &refuse_bits(2, SET_ID_BITS));
    add_call_rule(program, FCHMODAT2, &refuse_bits(2, SET_ID_BITS));
    add_call_rule(program, libc::SYS_openat, &open_rule(2));
    add_call_rule(program, libc::SYS_mknodat, &make_rule(2));
}

fn open_rule(flags: u32) -> Vec<BpfInstruction> {
    let mut body =
        vec![load_word(argument_offset(flags)), jump_if(JUMP_ANY_BIT, CREATES, 1, 0), return_answer(ALLOW)];
    body.extend(refuse_bits(flags + 1, SET_ID_BITS));
    body
}

fn make_rule(mode: u32) -> Vec<BpfInstruction> {
    let kind = [load_word(argument_offset(mode)), mask_word(libc::S_IFMT)];
    let refused =
        [libc::S_IFCHR, libc::S_IFBLK].map(|device| [jump_if(JUMP_EQUAL, device, 0, 1), not_permitted()]);
    kind.into_iter().chain(refused.into_iter().flatten()).chain(refuse_bits(mode, SET_ID_BITS)).collect()
}

/// `ioctl`: no character is pushed into a terminal as if a person had typed it.
fn terminal_rule() -> Vec<BpfInstruction> {
    const TIOCLINUX: u32 = 0x541c;
    let typed = [u32::try_from(libc::TIOCSTI).unwrap_or_default(), TIOCLINUX];
    let refused = typed.map(|request| [jump_if(JUMP_EQUAL, request, 0, 1), not_permitted()]);
    [load_word(argument_offset(1))]
        .into_iter()
        .chain(refused.into_iter().flatten())
        .chain([return_answer(ALLOW)])
        .collect()
}

/// `personality`: only the plain one, or the question which it is.
fn personality_rule() -> Vec<BpfInstruction> {
    let asked = [
        jump_if(JUMP_EQUAL, 0, 1, 0),
        jump_if(JUMP_EQUAL, u32::MAX, 0, 1),
        return_answer(ALLOW),
        not_permitted(),
    ];
    [load_word(argument_offset(0))].into_iter().chain(asked).collect()
}

/// `socket`: Unix and internet sockets of streams and datagrams, and the routes of this network namespace.
fn socket_family_rule() -> Vec<BpfInstruction> {
    let netlink =
        [load_word(argument_offset(2)), jump_if(JUMP_EQUAL, 0, 0, 1), return_answer(ALLOW), refuse_family()];
    let kinds = [
        load_word(argument_offset(1)),
        mask_word(0xf),
        jump_if(JUMP_EQUAL, libc::SOCK_STREAM.cast_unsigned(), 1, 0),
        jump_if(JUMP_EQUAL, libc::SOCK_DGRAM.cast_unsigned(), 0, 1),
        return_answer(ALLOW),
        not_permitted(),
    ];
    let (netlink_len, kinds_len) = (4, 6);
    let mut body = vec![
        load_word(argument_offset(0)),
        jump_if(JUMP_EQUAL, libc::AF_UNIX.cast_unsigned(), 0, 1),
        return_answer(ALLOW),
        jump_if(JUMP_EQUAL, libc::AF_NETLINK.cast_unsigned(), 0, netlink_len),
    ];
    body.extend(netlink);
    body.extend([
        jump_if(JUMP_EQUAL, libc::AF_INET.cast_unsigned(), 1, 0),
        jump_if(JUMP_EQUAL, libc::AF_INET6.cast_unsigned(), 0, kinds_len),
    ]);
    body.extend(kinds);
    body.push(refuse_family());
    body
}

/// `socketpair`: Unix sockets.
fn socket_pair_rule() -> Vec<BpfInstruction> {
    vec![
        load_word(argument_offset(0)),
        jump_if(JUMP_EQUAL, libc::AF_UNIX.cast_unsigned(), 0, 1),
        return_answer(ALLOW),
        refuse_family(),
    ]
}

/// Refuses if `bits` and the argument share one.
fn refuse_bits(at: u32, bits: u32) -> Vec<BpfInstruction> {
    vec![
        load_word(argument_offset(at)),
        jump_if(JUMP_ANY_BIT, bits, 0, 1),
        not_permitted(),
        return_answer(ALLOW),
    ]
}

/// Puts `body` behind a test for `call`. Each way through the body ends with an answer.
fn add_call_rule(program: &mut Vec<BpfInstruction>, call: c_long, body: &[BpfInstruction]) {
    let len = u8::try_from(body.len()).unwrap_or(u8::MAX);
    program.push(jump_if(JUMP_EQUAL, call_number(call), 0, len));
    program.extend(body);
}

fn refuse_call(program: &mut Vec<BpfInstruction>, call: c_long, errno: i32) {
    add_call_rule(program, call, &[return_answer(ERRNO | errno.cast_unsigned())]);
}

fn call_number(call: c_long) -> u32 {
    u32::try_from(call).unwrap_or(u32::MAX)
}

/// Returns the position of the lower half of an argument. The kernel reads only that half of a mode, of flags or of a
/// family.
fn argument_offset(at: u32) -> u32 {
    16 + 8 * at
}

fn load_word(offset: u32) -> BpfInstruction {
    BpfInstruction { code: LOAD, if_true: 0, if_false: 0, operand: offset }
}

fn mask_word(mask: u32) -> BpfInstruction {
    BpfInstruction { code: AND, if_true: 0, if_false: 0, operand: mask }
}

fn jump_if(code: u16, operand: u32, if_true: u8, if_false: u8) -> BpfInstruction {
    BpfInstruction { code, if_true, if_false, operand }
}

fn return_answer(answer: u32) -> BpfInstruction {
    BpfInstruction { code: RETURN, if_true: 0, if_false: 0, operand: answer }
}

fn not_permitted() -> BpfInstruction {
    return_answer(ERRNO | EPERM.cast_unsigned())
}

fn refuse_family() -> BpfInstruction {
    return_answer(ERRNO | EAFNOSUPPORT.cast_unsigned())
}
