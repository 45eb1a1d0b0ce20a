//! The socket between the server and a sandbox. It carries the plan in, words out, and its end tells either side that the
//! other one is gone.

use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut, Read, Seek, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::MemfdFlags;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};

use crate::spec::{Spec, Word};

/// The longest word, in bytes.
const LONGEST: usize = 8192;

/// One end of the socket.
#[derive(Debug)]
pub(crate) struct Control(OwnedFd);

impl Control {
    /// Both ends: the server's, and the one that becomes the standard input of the sandbox's first process.
    pub(crate) fn pair() -> io::Result<(Self, OwnedFd)> {
        let (ours, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        Ok((Self(ours), theirs))
    }

    /// An end that was handed over.
    pub(crate) fn of(end: OwnedFd) -> Self {
        Self(end)
    }

    /// The end that came as standard input.
    pub(crate) fn of_standard_input() -> io::Result<Self> {
        Ok(Self(rustix::stdio::stdin().try_clone_to_owned()?))
    }

    /// Sends the plan, and the command's standard streams.
    pub(crate) fn send_spec(&self, spec: &Spec, streams: &[OwnedFd; 3]) -> io::Result<()> {
        let mut file = File::from(rustix::fs::memfd_create("plan", MemfdFlags::CLOEXEC)?);
        file.write_all(&serde_json::to_vec(spec)?)?;
        file.rewind()?;
        let [input, output, errors] = streams;
        self.send_with(b"plan", &[file.as_fd(), input.as_fd(), output.as_fd(), errors.as_fd()])
    }

    /// Takes the plan, and the command's standard streams.
    pub(crate) fn take_spec(&self) -> io::Result<(Spec, [OwnedFd; 3])> {
        let (_, descriptors) = self.take()?.ok_or(io::ErrorKind::UnexpectedEof)?;
        let all: Result<[OwnedFd; 4], _> = descriptors.try_into();
        let [plan, input, output, errors] = all.map_err(|_| io::ErrorKind::InvalidData)?;
        let mut text = Vec::new();
        File::from(plan).read_to_end(&mut text)?;
        Ok((serde_json::from_slice(&text)?, [input, output, errors]))
    }

    /// Tells the server a word. A server that is gone misses nothing.
    pub(crate) fn tell(&self, word: &Word) {
        let text = serde_json::to_vec(word).unwrap_or_default();
        let _ = self.send_with(&text, &[]);
    }

    /// Tells the server a word with a descriptor.
    pub(crate) fn tell_with(&self, word: &Word, descriptor: BorrowedFd<'_>) -> io::Result<()> {
        self.send_with(&serde_json::to_vec(word)?, &[descriptor])
    }

    /// The next word, and the descriptor that came with it. `None`: the other side is gone.
    pub(crate) fn hear(&self) -> io::Result<Option<(Word, Option<OwnedFd>)>> {
        let Some((text, mut descriptors)) = self.take()? else { return Ok(None) };
        Ok(Some((serde_json::from_slice(&text)?, descriptors.pop())))
    }

    /// The same end once more.
    pub(crate) fn try_clone(&self) -> io::Result<Self> {
        self.0.try_clone().map(Self)
    }

    /// Tells the sandbox to end.
    pub(crate) fn end(&self) {
        let _ = rustix::net::shutdown(&self.0, rustix::net::Shutdown::Write);
    }

    fn send_with(&self, text: &[u8], descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        if !descriptors.is_empty() {
            ancillary.push(SendAncillaryMessage::ScmRights(descriptors));
        }
        sendmsg(&self.0, &[IoSlice::new(text)], &mut ancillary, SendFlags::NOSIGNAL)?;
        Ok(())
    }

    fn take(&self) -> io::Result<Option<(Vec<u8>, Vec<OwnedFd>)>> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
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

impl AsFd for Control {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
