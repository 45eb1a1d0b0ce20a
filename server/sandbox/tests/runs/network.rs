//! The network access of a command.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::thread;

use wherefore_sandbox::NetworkAccess;

use crate::place::{Place, launcher, reader};

/// Python that tries to make each kind of socket.
const FAMILIES: &str = "
import socket
for family in range(0, 46):
    for kind in (1, 2, 3, 5, 10):
        try:
            socket.socket(family, kind, 0).close()
            print(family, kind)
        except OSError:
            pass
";

#[test]
fn nothing_of_the_host_is_reached() {
    let Some(place) = Place::new() else { return };
    let host = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = host.local_addr().unwrap().port();
    let script = format!(
        "import socket\nfor address in ('127.0.0.1', '1.1.1.1', '::1'):\n  try:\n    socket.create_connection((address, {port}), 2)\n    print('reached', address)\n  except OSError: pass"
    );
    let outcome = place.run(&place.plan(["/usr/bin/python3", "-c", &script]));
    assert_eq!((outcome.output.as_str(), outcome.report.exit_code), ("", Some(0)), "{}", outcome.errors);
}

#[test]
fn only_local_families_are_there() {
    let Some(place) = Place::new() else { return };
    let outcome = place.run(&place.plan(["/usr/bin/python3", "-c", FAMILIES]));
    let allowed = ["1 1", "1 2", "1 3", "1 5", "2 1", "2 2", "10 1", "10 2", "16 2", "16 3"];
    let made: Vec<&str> = outcome.output.lines().collect();
    assert!(made.iter().all(|line| allowed.contains(line)), "{made:?}");
    assert!(made.contains(&"2 1") && made.contains(&"1 1"), "{made:?} {}", outcome.errors);
}

#[test]
fn a_server_on_the_loopback_device_answers_inside() {
    let Some(place) = Place::new() else { return };
    let script = "import socket, threading
server = socket.create_server(('127.0.0.1', 0))
threading.Thread(target=lambda: server.accept()[0].sendall(b'hello')).start()
print(socket.create_connection(server.getsockname()).recv(9).decode())";
    let outcome = place.run(&place.plan(["/usr/bin/python3", "-c", script]));
    assert_eq!(outcome.output, "hello\n", "{}", outcome.errors);
}

#[test]
fn commands_of_one_network_reach_each_other_and_nothing_else() {
    let Some(place) = Place::new() else { return };
    let launcher = launcher().with_ready_helper();
    let network = launcher.make_network().unwrap();
    let host = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = "import socket
server = socket.create_server(('127.0.0.1', 4455))
print('up', flush=True)
while True:
    server.accept()[0].sendall(b'hello')";
    let mut serving = place.plan(["/usr/bin/python3", "-u", "-c", server]);
    serving.shared_network = Some(network.namespaces());
    let mut running = launcher.spawn(&serving).unwrap();
    let mut output = std::fs::File::from(running.take_output().unwrap());
    output.read_exact(&mut [0; 2]).unwrap();
    let listening = network.listening_ports();
    assert_eq!(listening.iter().map(|port| port.port).collect::<Vec<_>>(), [4455]);
    assert!(running.killer().unwrap().open_sockets().contains(&listening[0].inode));

    let port = host.local_addr().unwrap().port();
    let script = format!(
        "import fcntl, socket, struct
print(socket.create_connection(('127.0.0.1', 4455), 5).recv(9).decode())
for address in (('127.0.0.1', {port}), ('1.1.1.1', 80)):
    try:
        socket.create_connection(address, 2)
        print('reached', address)
    except OSError: pass
try:
    down = struct.pack('16sH22s', b'lo', 0, b'')
    fcntl.ioctl(socket.socket(), 0x8914, down)
    print('changed')
except PermissionError: pass"
    );
    // The first starts its helper, the second finds one ready in the network.
    for _ in 0..2 {
        let mut asking = place.plan(["/usr/bin/python3", "-c", &script]);
        asking.shared_network = Some(network.namespaces());
        let outcome = Place::run_by(&launcher, &asking).unwrap();
        assert_eq!(
            (outcome.output.as_str(), outcome.report.exit_code),
            ("hello\n", Some(0)),
            "{}",
            outcome.errors
        );
    }
    let apart = Place::run_by(&launcher, &place.plan(["/usr/bin/python3", "-c", &script])).unwrap();
    assert!(apart.errors.contains("refused"), "{}", apart.errors);
    assert_eq!(apart.report.exit_code, Some(1));

    let (keeper, id) = (network.keeper(), network.namespaces().id());
    let opened = wherefore_sandbox::NetworkNamespaces::open_network(keeper, id);
    assert_eq!(opened.unwrap().id(), id);
    assert!(wherefore_sandbox::NetworkNamespaces::open_network(std::process::id(), id).is_err());
    running.kill();
    running.wait().unwrap();
}

#[test]
fn a_proxy_is_reached_and_nothing_else() {
    let Some(place) = Place::new() else { return };
    let script = "import os, socket, urllib.parse
at = urllib.parse.urlparse(os.environ['https_proxy'])
door = socket.create_connection((at.hostname, at.port))
door.sendall(b'CONNECT example.org:443')
print(door.recv(9).decode())";
    let mut plan = place.plan(["/usr/bin/python3", "-c", script]);
    plan.network = NetworkAccess::Proxy;
    let mut running = launcher().spawn(&plan).unwrap();
    let output = reader(running.take_output());
    let listener = running.proxy().unwrap().unwrap();
    let server = thread::spawn(move || {
        let (mut connection, _) = listener.accept().unwrap();
        let mut asked = [0; 64];
        let len = connection.read(&mut asked).unwrap();
        connection.write_all(b"denied").unwrap();
        String::from_utf8_lossy(&asked[..len]).into_owned()
    });
    assert_eq!(output.join().unwrap(), "denied\n");
    assert_eq!(server.join().unwrap(), "CONNECT example.org:443");
    assert_eq!(running.wait().unwrap().exit_code, Some(0));
}

#[test]
fn abstract_sockets_of_the_host_are_not_reached() {
    use std::os::linux::net::SocketAddrExt;
    let Some(place) = Place::new() else { return };
    let name = format!("wherefore-test-{}", std::process::id());
    let address = std::os::unix::net::SocketAddr::from_abstract_name(&name).unwrap();
    let _listener = UnixListener::bind_addr(&address).unwrap();
    let script = format!(
        "import socket\ntry:\n  socket.socket(socket.AF_UNIX).connect('\\0{name}')\n  print('reached')\nexcept OSError: pass"
    );
    assert_eq!(place.run(&place.plan(["/usr/bin/python3", "-c", &script])).output, "");
}
