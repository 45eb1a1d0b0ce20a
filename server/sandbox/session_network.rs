//! A network of several commands: one namespace with nothing but a loopback device, which a process of ours keeps.
//!
//! A command that joins it gets a user namespace of its own below that of the network, so that it has no rights over it.
//!
//! # Invariants
//!
//! - No command reaches the host's network through the network that it shares, or changes that network.
//!   Test: `commands_of_one_network_reach_each_other_and_nothing_else`

use std::io;
use std::net::TcpStream;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::net::{AddressFamily, SocketFlags, SocketType};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

use crate::control::ControlSocket;
use crate::helper::SandboxHelper;
use crate::linux;
use crate::listening_ports::{self, ListeningPort};
use crate::spec::{BuildStage, ControlMessage};
use crate::trouble::{AtStage, BuildFailure};

/// The second argument of the process that keeps a network.
pub(crate) const NETWORK: &str = "network";

/// Identifies a namespace while it exists: its device and inode.
pub(crate) type NamespaceId = (u64, u64);

/// The namespaces of a network: the one of users that owns it, and its own.
#[derive(Debug)]
pub struct NetworkNamespaces {
    user: OwnedFd,
    network: OwnedFd,
    id: NamespaceId,
}

impl NetworkNamespaces {
    /// Takes both descriptors.
    pub(crate) fn from_descriptors(user: OwnedFd, network: OwnedFd) -> io::Result<Self> {
        let stat = rustix::fs::fstat(&network)?;
        Ok(Self { user, network, id: (stat.st_dev, stat.st_ino) })
    }

    /// Opens the network of the process `keeper`, if it is still the one with this identity.
    ///
    /// # Errors
    /// Fails where the process is gone, or keeps another network.
    pub fn open_network(keeper: u32, (device, inode): (u64, u64)) -> io::Result<Self> {
        let open = |name: &str| std::fs::File::open(format!("/proc/{keeper}/ns/{name}")).map(OwnedFd::from);
        let opened = Self::from_descriptors(open("user")?, open("net")?)?;
        match opened.id == (device, inode) {
            true => Ok(opened),
            false => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// The identity of the network.
    pub fn id(&self) -> (u64, u64) {
        self.id
    }

    pub(crate) fn descriptors(&self) -> [BorrowedFd<'_>; 2] {
        [self.user.as_fd(), self.network.as_fd()]
    }

    /// Moves this process into both.
    pub(crate) fn join(&self) -> io::Result<()> {
        move_into_link_name_space(self.user.as_fd(), Some(LinkNameSpaceType::User))?;
        Ok(move_into_link_name_space(self.network.as_fd(), Some(LinkNameSpaceType::Network))?)
    }
}

/// A network that commands share. Without it nobody reaches the network any more but the commands in it.
#[derive(Debug)]
pub struct SessionNetwork {
    keeper: Mutex<SandboxHelper>,
    pid: u32,
    namespaces: Arc<NetworkNamespaces>,
}

impl SessionNetwork {
    /// Starts the process that keeps a network.
    pub(crate) fn start(command: &mut Command) -> io::Result<Self> {
        let keeper = SandboxHelper::start(command.arg(NETWORK))?;
        let (word, descriptors) =
            keeper.control.receive_descriptors()?.ok_or(io::ErrorKind::UnexpectedEof)?;
        let both: Result<[OwnedFd; 2], _> = descriptors.try_into();
        match (word, both) {
            (ControlMessage::Network, Ok([user, network])) => {
                let namespaces = Arc::new(NetworkNamespaces::from_descriptors(user, network)?);
                Ok(Self { pid: keeper.id(), keeper: Mutex::new(keeper), namespaces })
            }
            (ControlMessage::Failed { errno, .. }, _) => Err(io::Error::from_raw_os_error(errno)),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    /// The namespaces, for the plan of a command.
    pub fn namespaces(&self) -> Arc<NetworkNamespaces> {
        Arc::clone(&self.namespaces)
    }

    /// The number of the process that keeps the network.
    pub fn keeper(&self) -> u32 {
        self.pid
    }

    /// Makes a socket in the network, which is not connected yet.
    ///
    /// # Errors
    /// Fails where the process that keeps the network is gone.
    pub fn make_socket(&self, is_v6: bool) -> io::Result<TcpStream> {
        let keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        keeper.control.send_message(&ControlMessage::Socket { is_v6 });
        match keeper.control.receive_message()? {
            Some((ControlMessage::Socket { .. }, Some(socket))) => Ok(TcpStream::from(socket)),
            _ => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// The ports on which a program in the network listens, and that a browser on this machine would reach there.
    pub fn listening_ports(&self) -> Vec<ListeningPort> {
        listening_ports::read_ports(&PathBuf::from(format!("/proc/{}/net", self.pid)))
    }
}

/// Keeps a network until the server's end of the socket closes: what the hidden subcommand runs with [`NETWORK`].
pub(crate) fn keep_network(control: &ControlSocket) -> Result<(), BuildFailure> {
    let _ = rustix::process::setsid();
    linux::ignore_terminal_signals();
    crate::enter::new_user().at_stage(BuildStage::Namespaces)?;
    linux::unshare_network().at_stage(BuildStage::Namespaces)?;
    let socket = make_socket(AddressFamily::INET).at_stage(BuildStage::Network)?;
    linux::loopback_up(&socket).at_stage(BuildStage::Network)?;
    let open = |name: &str| std::fs::File::open(format!("/proc/self/ns/{name}"));
    let (user, network) =
        (open("user").at_stage(BuildStage::Network)?, open("net").at_stage(BuildStage::Network)?);
    control
        .send_descriptors(&ControlMessage::Network, &[user.as_fd(), network.as_fd()])
        .at_stage(BuildStage::Network)?;
    while let Ok(Some((ControlMessage::Socket { is_v6 }, _))) = control.receive_message() {
        let family = if is_v6 { AddressFamily::INET6 } else { AddressFamily::INET };
        let word = ControlMessage::Socket { is_v6 };
        match make_socket(family) {
            Ok(socket) => control.send_with_descriptor(&word, socket.as_fd()),
            Err(_) => control.send_descriptors(&word, &[]),
        }
        .at_stage(BuildStage::Network)?;
    }
    Ok(())
}

fn make_socket(family: AddressFamily) -> io::Result<OwnedFd> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    Ok(rustix::net::socket_with(family, SocketType::STREAM, flags, None)?)
}
