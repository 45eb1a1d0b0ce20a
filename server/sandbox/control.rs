//! The socket between the server and a sandbox. It carries the plan in and messages out; when one side is gone, the
//! other one reads the end of the stream.

use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut, Read, Seek, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::MemfdFlags;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};

use crate::session_network::NetworkNamespaces;
use crate::spec::{ControlMessage, SandboxSpec};

/// The longest word, in bytes.
const LONGEST: usize = 8192;

/// An end of the socket.
#[derive(Debug)]
pub(crate) struct ControlSocket(OwnedFd);

impl ControlSocket {
    /// Both ends: the server's, and the one that becomes the standard input of the sandbox's first process.
    pub(crate) fn pair() -> io::Result<(Self, OwnedFd)> {
        let (ours, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        Ok((Self(ours), theirs))
    }

    /// An end that was handed over.
    pub(crate) fn from_end(end: OwnedFd) -> Self {
        Self(end)
    }

    /// The end that came as standard input.
    pub(crate) fn of_standard_input() -> io::Result<Self> {
        Ok(Self(rustix::stdio::stdin().try_clone_to_owned()?))
    }

    /// Sends the plan, the command's standard streams, and the network that it joins where the receiver is not in it.
    pub(crate) fn send_spec(
        &self,
        spec: &SandboxSpec,
        streams: &[OwnedFd; 3],
        network: Option<&NetworkNamespaces>,
    ) -> io::Result<()> {
        let mut file = File::from(rustix::fs::memfd_create("plan", MemfdFlags::CLOEXEC)?);
        let message = serde_json::to_vec(spec)?;
        file.write_all(&(message.len() as u64).to_le_bytes())?;
        file.write_all(&message)?;
        file.write_all(&spec.contents)?;
        file.rewind()?;
        let mut sent = vec![file.as_fd()];
        sent.extend(streams.iter().map(AsFd::as_fd));
        sent.extend(network.iter().flat_map(|network| network.descriptors()));
        self.send_with(b"plan", &sent)
    }

    /// Takes the plan, the command's standard streams, and the network that it joins if that was sent.
    pub(crate) fn take_spec(&self) -> io::Result<(SandboxSpec, [OwnedFd; 3], Option<NetworkNamespaces>)> {
        let (_, mut descriptors) = self.receive_packet()?.ok_or(io::ErrorKind::UnexpectedEof)?;
        let mut network = descriptors.split_off(descriptors.len().min(4)).into_iter();
        let network = match (network.next(), network.next()) {
            (Some(user), Some(network)) => Some(NetworkNamespaces::from_descriptors(user, network)?),
            _ => None,
        };
        let all: Result<[OwnedFd; 4], _> = descriptors.try_into();
        let [plan, input, output, errors] = all.map_err(|_| io::ErrorKind::InvalidData)?;
        let (mut plan, mut length) = (File::from(plan), [0; 8]);
        plan.read_exact(&mut length)?;
        let mut message = Vec::new();
        (&plan).take(u64::from_le_bytes(length)).read_to_end(&mut message)?;
        let mut spec: SandboxSpec = serde_json::from_slice(&message)?;
        plan.read_to_end(&mut spec.contents)?;
        Ok((spec, [input, output, errors], network))
    }

    /// Sends a message to the server. If the server is gone, the error is ignored.
    pub(crate) fn send_message(&self, word: &ControlMessage) {
        let text = serde_json::to_vec(word).unwrap_or_default();
        let _ = self.send_with(&text, &[]);
    }

    /// Sends a message with a descriptor to the server.
    pub(crate) fn send_with_descriptor(
        &self,
        word: &ControlMessage,
        descriptor: BorrowedFd<'_>,
    ) -> io::Result<()> {
        self.send_with(&serde_json::to_vec(word)?, &[descriptor])
    }

    /// Sends a message with any number of descriptors up to six.
    pub(crate) fn send_descriptors(
        &self,
        word: &ControlMessage,
        descriptors: &[BorrowedFd<'_>],
    ) -> io::Result<()> {
        self.send_with(&serde_json::to_vec(word)?, descriptors)
    }

    /// The next word, and all descriptors that came with it. `None`: the other side is gone.
    pub(crate) fn receive_descriptors(&self) -> io::Result<Option<(ControlMessage, Vec<OwnedFd>)>> {
        let Some((text, descriptors)) = self.receive_packet()? else { return Ok(None) };
        Ok(Some((serde_json::from_slice(&text)?, descriptors)))
    }

    /// The next word, and the descriptor that came with it. `None`: the other side is gone.
    pub(crate) fn receive_message(&self) -> io::Result<Option<(ControlMessage, Option<OwnedFd>)>> {
        let Some((text, mut descriptors)) = self.receive_packet()? else { return Ok(None) };
        Ok(Some((serde_json::from_slice(&text)?, descriptors.pop())))
    }

    /// Waits for the next word, or for the end of the other side, at most until `end`. The answer is whether either came.
    pub(crate) fn wait_message(&self, end: Instant) -> io::Result<bool> {
        let left = Timespec::try_from(end.saturating_duration_since(Instant::now())).ok();
        let mut watched = [PollFd::new(&self.0, PollFlags::IN)];
        Ok(rustix::io::retry_on_intr(|| poll(&mut watched, left.as_ref()))? > 0)
    }

    /// Duplicates the descriptor of this end.
    pub(crate) fn try_clone(&self) -> io::Result<Self> {
        self.0.try_clone().map(Self)
    }

    /// Ends the sandbox.
    pub(crate) fn shut_down(&self) {
        let _ = rustix::net::shutdown(&self.0, rustix::net::Shutdown::Write);
    }

    fn send_with(&self, text: &[u8], descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(6))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        if !descriptors.is_empty() {
            ancillary.push(SendAncillaryMessage::ScmRights(descriptors));
        }
        sendmsg(&self.0, &[IoSlice::new(text)], &mut ancillary, SendFlags::NOSIGNAL)?;
        Ok(())
    }

    fn receive_packet(&self) -> io::Result<Option<(Vec<u8>, Vec<OwnedFd>)>> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(6))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let mut text = vec![0; LONGEST];
        let mut into = [IoSliceMut::new(&mut text)];
        let received = rustix::io::retry_on_intr(|| {
            recvmsg(&self.0, &mut into, &mut ancillary, RecvFlags::CMSG_CLOEXEC)
        });
        let received = match received {
            Err(rustix::io::Errno::CONNRESET) => return Ok(None),
            other => other?,
        };
        if received.bytes == 0 {
            return Ok(None);
        }
        text.truncate(received.bytes);
        let rights = |message| match message {
            RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
            _ => None,
        };
        let descriptors = ancillary.drain().filter_map(rights).flatten().collect();
        Ok(Some((text, descriptors)))
    }
}

impl AsFd for ControlSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
