//! Servers of this machine that the tests reach, and the terminal that they need.

use std::io::{Read, Write};
use std::net::TcpListener;

use crate::environment::report_skip;
use crate::environment::terminal::Terminal;

/// A server of this machine that answers every request with a page.
pub(crate) fn page_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let page = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 9\r\nconnection: close\r\n\r\nwelcome!\n";
            let _ = stream.write_all(page.as_bytes());
        }
    });
    address
}

/// Returns whether no terminal can be had, and reports the test as skipped then.
pub(crate) fn report_no_terminal() -> bool {
    let missing = !Terminal::is_there();
    if missing {
        report_skip("there is no tmux");
    }
    missing
}
