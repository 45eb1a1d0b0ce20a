//! The lookup of hosts and the connections to them. Tests put another network in place of the machine's.

use std::io;
use std::net::{IpAddr, SocketAddr};

use tokio::net::TcpStream;

/// A network: names and connections. It decides nothing; [`HttpFetcher`](crate::HttpFetcher) checks each address
/// between the two.
pub trait NetworkConnector: Send + Sync {
    /// Returns every address of a host.
    fn resolve(&self, host: &str) -> impl Future<Output = io::Result<Vec<IpAddr>>> + Send;

    /// A connection to an address.
    fn connect(&self, address: SocketAddr) -> impl Future<Output = io::Result<TcpStream>> + Send;
}

/// The network of this machine, through its own resolver and no proxy.
#[derive(Clone, Copy, Debug, Default)]
pub struct MachineNetwork;

impl NetworkConnector for MachineNetwork {
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((host, 0)).await?.map(|address| address.ip()).collect())
    }

    async fn connect(&self, address: SocketAddr) -> io::Result<TcpStream> {
        TcpStream::connect(address).await
    }
}
