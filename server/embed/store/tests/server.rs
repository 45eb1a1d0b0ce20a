//! A Postgres server with pgvector that one test has for itself, from the files that `tests/run` put into `.e2e/`.

use std::io::Write;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tokio_postgres::{Client, NoTls};

/// The password of its administrator, `postgres`.
pub(super) const PASSWORD: &str = "a-password-that-nobody-shows";
/// The longest time that it may take to start.
const PATIENCE: Duration = Duration::from_secs(60);
/// Postgres refuses to run as root; this user owns nothing.
const NOBODY: u32 = 65_534;

/// A server with its data in a folder that ends with it.
pub(super) struct Server {
    folder: tempfile::TempDir,
    running: Option<Child>,
    port: u16,
}

impl Server {
    /// Starts a server; `None`, and a printed line about it, if Postgres is not installed.
    pub(super) async fn start() -> Option<Self> {
        Self::without(&[]).await
    }

    /// Starts a server that lacks these of its installed files.
    pub(super) async fn without(files: &[&str]) -> Option<Self> {
        let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.e2e/pgserver");
        let installed = package.join("pgserver/pginstall");
        if !installed.is_dir() {
            let line = "skipped: the Python package pgserver is not installed (tests/run installs it): \
                        the team's store of vectors is not tested against a real server";
            say(line);
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        // It is a copy, which the server's user can read at any place of the project.
        run(Command::new("cp").arg("-rL").arg(&installed).arg(folder.path().join("install")));
        run(Command::new("cp").arg("-rL").arg(package.join("pgserver.libs")).arg(folder.path().join("libs")));
        for file in files {
            std::fs::remove_file(folder.path().join("install").join(file)).unwrap();
        }
        std::fs::write(folder.path().join("password"), PASSWORD).unwrap();
        if rustix::process::geteuid().is_root() {
            std::os::unix::fs::chown(folder.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut server = Self { folder, running: None, port };
        let place = server.folder.path().to_owned();
        let mut make = server.program("initdb");
        make.arg("-D").arg(place.join("data")).arg("--pwfile").arg(place.join("password"));
        run(make.args(["-U", "postgres", "-A", "scram-sha-256", "-N", "-E", "UTF8", "--no-locale"]));
        server.go().await;
        Some(server)
    }

    /// Starts it, and waits until it answers.
    pub(super) async fn go(&mut self) {
        let mut command = self.program("postgres");
        command.arg("-D").arg(self.folder.path().join("data")).args(["-p", &self.port.to_string()]);
        for setting in
            ["listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off", "shared_buffers=32MB"]
        {
            command.args(["-c", setting]);
        }
        let log = std::fs::File::create(self.folder.path().join("log")).unwrap();
        self.running = Some(command.stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap());
        let until = Instant::now() + PATIENCE;
        while tokio_postgres::connect(&self.url("postgres", PASSWORD, "postgres"), NoTls).await.is_err() {
            let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap();
            assert!(Instant::now() < until, "the server does not start: {log}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Ends it and all connections to it.
    pub(super) fn stop(&mut self) {
        if let Some(mut child) = self.running.take() {
            kill_process(Pid::from_child(&child), Signal::INT).unwrap();
            child.wait().unwrap();
        }
    }

    /// Returns its port on the loopback.
    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// Returns the URL at which a user finds a database.
    pub(super) fn url(&self, user: &str, password: &str, database: &str) -> String {
        format!("postgres://{user}:{password}@127.0.0.1:{}/{database}", self.port)
    }

    /// The administrator's connection to a database.
    pub(super) async fn admin(&self, database: &str) -> Client {
        let url = self.url("postgres", PASSWORD, database);
        let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
        tokio::spawn(async move { drop(connection.await) });
        client
    }

    /// A new database of the administrator's.
    pub(super) async fn database(&self, name: &str) -> String {
        self.admin("postgres").await.batch_execute(&format!("CREATE DATABASE {name}")).await.unwrap();
        self.url("postgres", PASSWORD, name)
    }

    /// A program of the installation, to be run as somebody whom Postgres takes.
    fn program(&self, name: &str) -> Command {
        let program = self.folder.path().join("install/bin").join(name);
        let mut command = match rustix::process::geteuid().is_root() {
            true => {
                let mut command = Command::new("setpriv");
                let ids = [format!("--reuid={NOBODY}"), format!("--regid={NOBODY}")];
                command.args(ids).arg("--clear-groups").arg(program);
                command
            }
            false => Command::new(program),
        };
        command.current_dir(self.folder.path()).env("LD_LIBRARY_PATH", self.folder.path().join("libs"));
        command.stdin(Stdio::null());
        command
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Prints a line even if the test passes.
pub(super) fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {output:?}");
}
