//! A port of this machine's loopback device that leads to one of a command's.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use crate::base::run_blocking;
use crate::sandbox::{ListeningPort, SessionNetwork};

/// Connections that are carried at once.
const CONNECTIONS: usize = 128;
/// The pause after a connection that could not be accepted.
const PAUSE: Duration = Duration::from_millis(50);
/// The first port that needs no rights.
const FIRST_FREE: u16 = 1024;
/// Ports of services that a person's programs connect to unasked, with their passwords. A command's server is reached at
/// another one.
const SERVICES: [u16; 14] =
    [1433, 1521, 2049, 2375, 2376, 3306, 5432, 5672, 6379, 6443, 9092, 9200, 11211, 27017];

/// A port that leads to a command's, until this is dropped.
#[derive(Debug)]
pub(super) struct ForwardedPort {
    address: SocketAddr,
    accepting: JoinHandle<()>,
}

impl Drop for ForwardedPort {
    fn drop(&mut self) {
        // The connections end with it.
        self.accepting.abort();
    }
}

impl ForwardedPort {
    /// Opens a port: the same number where it is free and nobody expects another server there.
    ///
    /// # Errors
    /// The system refuses a listener.
    pub(super) async fn open(network: Arc<SessionNetwork>, listening: ListeningPort) -> io::Result<Self> {
        let is_plain = listening.port >= FIRST_FREE && !SERVICES.contains(&listening.port);
        let same = match is_plain {
            true => bind_port(listening.port).await,
            false => Err(io::ErrorKind::AddrInUse.into()),
        };
        let listener = match same {
            Ok(listener) => listener,
            Err(_) => bind_port(0).await?,
        };
        let address = listener.local_addr()?;
        Ok(Self { address, accepting: tokio::spawn(carry_connections(listener, network, listening)) })
    }

    /// The address on this machine.
    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }
}

async fn bind_port(port: u16) -> io::Result<TcpListener> {
    TcpListener::bind(SocketAddrV4::new(Ipv4Addr::LOCALHOST, port)).await
}

async fn carry_connections(listener: TcpListener, network: Arc<SessionNetwork>, to: ListeningPort) {
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    let mut carried = tokio::task::JoinSet::new();
    loop {
        while carried.try_join_next().is_some() {}
        let Ok(place) = room.clone().acquire_owned().await else { return };
        let Ok((mut outer, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let network = network.clone();
        carried.spawn(async move {
            if let Ok(mut inner) = connect_inside(&network, to).await {
                let _ = copy_bidirectional(&mut outer, &mut inner).await;
            }
            drop(place);
        });
    }
}

/// Connects to a port of a command's: the socket belongs to its network, whoever connects it.
async fn connect_inside(network: &SessionNetwork, to: ListeningPort) -> io::Result<TcpStream> {
    let socket = run_blocking(|| network.make_socket(to.is_v6))?;
    let address = match to.is_v6 {
        true => SocketAddr::from((Ipv6Addr::LOCALHOST, to.port)),
        false => SocketAddr::from((Ipv4Addr::LOCALHOST, to.port)),
    };
    TcpSocket::from_std_stream(socket).connect(address).await
}
