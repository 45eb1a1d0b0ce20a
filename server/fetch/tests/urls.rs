//! Allowed and refused URLs. For a refused one no name is looked up, no person asked, and no connection made.

use super::{Net, Person, Reply, request, told};
use crate::{FetchTarget, HostPermits, HttpFetcher};

/// Each URL with a part of the error.
const REFUSED: &[(&str, &str)] = &[
    ("", "no URL"),
    ("public.test", "no URL"),
    ("//public.test/", "no URL"),
    ("file:///etc/passwd", "scheme is \"file\""),
    ("ftp://public.test/", "scheme is \"ftp\""),
    ("gopher://public.test:80/_x", "scheme is \"gopher\""),
    ("data:text/plain,x", "scheme is \"data\""),
    ("javascript:alert(1)", "scheme is \"javascript\""),
    ("unix:///run/docker.sock", "scheme is \"unix\""),
    ("ws://public.test/", "scheme is \"ws\""),
    ("http://", "no URL"),
    ("http:///", "no URL"),
    ("http://./", "no host"),
    ("http://public..test/", "no host"),
    ("http://.public.test/", "no host"),
    ("http://me@public.test/", "user or a password"),
    ("http://me:pw@public.test/", "user or a password"),
    ("http://:pw@public.test/", "user or a password"),
    ("http://public.test\\@127.0.0.1:22/", "no answer"),
    ("http://public.test:22/", "port 22"),
    ("http://public.test:25/", "port 25"),
    ("http://public.test:6379/", "port 6379"),
    ("http://public.test:7999/", "port 7999"),
    ("http://public.test:9000/", "port 9000"),
    ("http://public.test:11434/", "port 11434"),
    ("http://public.test:0/", "port 0"),
    ("http://public.test:65536/", "no URL"),
    ("http://public.test/\r\nX: y", "control character"),
    ("http://public.test/\0", "control character"),
    ("ht\ttp://public.test/", "control character"),
    (" http://public.test/", "space"),
    ("http://public.test/a b", "space"),
    ("http://public%00.test/", "no URL"),
    ("http://public.test%00.evil.test/", "no URL"),
    ("http://pub%0d%0alic.test/", "no URL"),
    ("http://xn--/", "no URL"),
    ("http://xn--a/", "no URL"),
    ("http://a\u{fdd0}b.test/", "no URL"),
    ("http://pub lic.test/", "space"),
    ("http://public.test<x/", "no URL"),
    ("http://[fe80::1%25eth0]/", "no URL"),
    ("http://[fe80::1%eth0]/", "no URL"),
    ("http://[::1/", "no URL"),
    ("http://1.2.3.4.5/", "no URL"),
    ("http://256.1.1.1/", "no URL"),
    ("http://0x100000000/", "no URL"),
    ("http://127.0.0.1/", "127.0.0.1 is an address of this machine"),
    ("http://127.1/", "127.0.0.1 is"),
    ("http://127.0.1/", "127.0.0.1 is"),
    ("http://2130706433/", "127.0.0.1 is"),
    ("http://0x7f000001/", "127.0.0.1 is"),
    ("http://0x7f.1/", "127.0.0.1 is"),
    ("http://017700000001/", "127.0.0.1 is"),
    ("http://0177.0.0.01/", "127.0.0.1 is"),
    ("http://0177.0x0.0.1/", "127.0.0.1 is"),
    ("http://127.0.0.1./", "127.0.0.1 is"),
    ("http://１２７.０.０.１/", "127.0.0.1 is"),
    ("http://127。0。0。1/", "127.0.0.1 is"),
    ("http://①②⑦.0.0.1/", "127.0.0.1 is"),
    ("http://%31%32%37.0.0.1/", "127.0.0.1 is"),
    ("http://0/", "0.0.0.0 is no address"),
    ("http://169.254.169.254/latest/meta-data/", "169.254.169.254 is a link-local"),
    ("http://2852039166/", "169.254.169.254 is"),
    ("http://0xa9fea9fe/", "169.254.169.254 is"),
    ("http://0xa9.254.0251.0376/", "169.254.169.254 is"),
    ("http://169.254.43518/", "169.254.169.254 is"),
    ("http://10.1/", "10.0.0.1 is"),
    ("http://192.168.257/", "192.168.1.1 is"),
    ("http://[::]/", ":: is no address"),
    ("http://[::1]/", "::1 is an address of this machine"),
    ("http://[0:0:0:0:0:0:0:1]/", "::1 is"),
    ("http://[::ffff:127.0.0.1]/", "IPv4-mapped"),
    ("http://[::ffff:7f00:1]/", "IPv4-mapped"),
    ("http://[::7f00:1]/", "IPv4-compatible"),
    ("http://[64:ff9b::10.0.0.1]/", "NAT64"),
    ("http://[64:ff9b:1::10.0.0.1]/", "NAT64"),
    ("http://[2002:7f00:1::]/", "6to4"),
    ("http://[2001:0:1::]/", "Teredo"),
    ("http://[fe80::1]/", "link-local"),
    ("http://[fd00:ec2::254]/", "cloud"),
    ("https://127.0.0.1/", "127.0.0.1 is"),
    ("HTTP://127.0.0.1:8000/", "127.0.0.1 is"),
];

#[tokio::test]
async fn what_is_refused_touches_nothing() {
    let net = Net::new(|_| Reply::ok("", "no")).await;
    let person = Person { no: vec!["public.test"], ..Person::default() };
    for (url, expected) in REFUSED {
        let outcome = HttpFetcher::on_network(&net).fetch(&request(url), &person).await;
        // A backslash ends the host, as in a browser.
        let expected =
            if *expected == "no answer" { "the host public.test may not be reached" } else { expected };
        let told = told(&outcome);
        assert!(outcome.is_err() && told.contains(expected), "{url:?}: {told}");
    }
    assert_eq!(net.looked_up.lock().unwrap().as_slice(), [] as [String; 0]);
    assert_eq!(net.connected.lock().unwrap().as_slice(), []);
    assert_eq!(person.asked.lock().unwrap().as_slice(), ["public.test"]);
}

#[test]
fn hosts_are_encoded_once() {
    for (url, host, port) in [
        ("http://EXAMPLE.test/", "example.test", 80),
        ("https://example.test./", "example.test", 443),
        ("http://bücher.test:8080/", "xn--bcher-kva.test", 8080),
        ("http://xn--bcher-kva.test:8999/", "xn--bcher-kva.test", 8999),
        ("http://[2606:4700::1111]/", "[2606:4700::1111]", 80),
        ("http://0x08080808/", "8.8.8.8", 80),
        ("http:public.test", "public.test", 80),
    ] {
        let target = FetchTarget::parse(url, &HostPermits::default()).unwrap();
        assert_eq!((target.host(), target.port()), (host, port), "{url}");
    }
    let long = format!("http://public.test/{}", "a".repeat(9000));
    assert!(FetchTarget::parse(&long, &HostPermits::default()).unwrap_err().to_string().contains("8192"));
}

#[test]
fn a_permit_is_for_a_host_and_a_port() {
    let permits =
        HostPermits::parse(["localhost:3000", ".dev.test:80", "[::1]:9", "BÜCHER.test:81", "127.0.0.1:5000"])
            .unwrap();
    for (host, port, expected) in [
        ("localhost", 3000, true),
        ("localhost", 3001, false),
        ("localhost.evil.test", 3000, false),
        ("notlocalhost", 3000, false),
        ("a.dev.test", 80, true),
        ("a.b.dev.test", 80, true),
        ("dev.test", 80, false),
        ("evildev.test", 80, false),
        (".dev.test", 80, false),
        ("a.dev.test", 81, false),
        ("[::1]", 9, true),
        ("xn--bcher-kva.test", 81, true),
        ("127.0.0.1", 5000, true),
        ("127.0.0.2", 5000, false),
    ] {
        assert_eq!(permits.grants(host, port), expected, "{host}:{port}");
    }
    for entry in [
        "",
        "localhost",
        "localhost:",
        "localhost:0",
        "localhost:x",
        "localhost:99999",
        ":80",
        "a b:80",
        ".1.2.3.4:80",
        "a\0:80",
        "*:80",
    ] {
        assert!(HostPermits::parse([entry]).is_err(), "{entry:?}");
    }
}
