//! Redirects: each hop meets the rules of the first.

use super::{Net, Reply, fetch, request, told};
use crate::{FetchError, FetchRequest};

/// The target of the redirect from `http://public.test/start`, and a part of the outcome.
const CHAINS: &[(&str, &str)] = &[
    ("/end", "200 http://public.test/end"),
    ("end", "200 http://public.test/end"),
    ("?q=1", "200 http://public.test/start?q=1"),
    ("//other.test/end", "200 http://other.test/end"),
    ("http://other.test/end#part", "200 http://other.test/end"),
    ("http://other.test:8080/end", "200 http://other.test:8080/end"),
    (" http://other.test/end ", "200 http://other.test/end"),
    ("HTTP://OTHER.TEST/end", "200 http://other.test/end"),
    ("/2", "200 http://public.test/end"),
    ("/4", "200 http://public.test/end"),
    ("/5", "more than 5 redirects"),
    ("/loop", "more than 5 redirects"),
    ("/start", "more than 5 redirects"),
    ("/ping", "more than 5 redirects"),
    ("/bare", "302 http://public.test/bare"),
    ("file:///etc/passwd", "scheme is \"file\""),
    ("ftp://other.test/", "scheme is \"ftp\""),
    ("data:text/html,x", "scheme is \"data\""),
    ("javascript:1", "scheme is \"javascript\""),
    ("gopher://127.0.0.1:6379/_FLUSHALL", "scheme is \"gopher\""),
    ("http://me:pw@other.test/", "user or a password"),
    ("http://other.test:22/", "port 22"),
    ("http://other.test:6379/", "port 6379"),
    ("http://missing.test/", "missing.test is not found"),
    ("http://private.test/", "private.test leads to 10.0.0.7"),
    ("http://mixed.test/", "mixed.test leads to 127.0.0.1"),
    ("http://127.0.0.1/", "127.0.0.1 is"),
    ("http://127.1:8080/", "127.0.0.1 is"),
    ("http://2130706433/", "127.0.0.1 is"),
    ("http://0x7f.1/", "127.0.0.1 is"),
    ("http://0177.1/", "127.0.0.1 is"),
    ("http://0/", "0.0.0.0 is"),
    ("http://169.254.169.254/latest/meta-data/iam/", "169.254.169.254 is"),
    ("http://2852039166/latest/", "169.254.169.254 is"),
    ("http://0xA9FEA9FE/", "169.254.169.254 is"),
    ("http://0251.0376.0251.0376/", "169.254.169.254 is"),
    ("http://169.254.43518/", "169.254.169.254 is"),
    ("//169.254.169.254/", "169.254.169.254 is"),
    ("http:\\\\169.254.169.254\\", "169.254.169.254 is"),
    ("http://[::1]/", "::1 is"),
    ("http://[::ffff:169.254.169.254]/", "IPv4-mapped"),
    ("http://[64:ff9b::169.254.169.254]/", "NAT64"),
    ("http://[fd00:ec2::254]/", "cloud"),
    ("http://[fe80::1%25eth0]/", "no URL"),
    ("http://[fe80::1%eth0]/", "no URL"),
    ("http://localhost/", "localhost is not found"),
    ("http:///", "no URL"),
    ("http://a\tb/", "control character"),
    ("", "more than 5 redirects"),
    ("/hop", "127.0.0.1 is"),
];

fn answers(target: &'static str) -> impl Fn(&str) -> Reply + Send + Sync {
    move |path| match path {
        "/start" => Reply::redirect(target),
        "/5" => Reply::redirect("/4"),
        "/4" => Reply::redirect("/3"),
        "/3" => Reply::redirect("/2"),
        "/2" => Reply::redirect("/1"),
        "/1" => Reply::redirect("/end"),
        "/ping" => Reply::redirect("http://other.test/pong"),
        "/pong" => Reply::redirect("http://public.test/ping"),
        "/loop" => Reply::redirect("/loop"),
        "/bare" => Reply::with(302, "", "no target"),
        "/hop" => Reply::redirect("http://other.test/last"),
        "/last" => Reply::redirect("http://127.0.0.1/"),
        _ => Reply::ok("Content-Type: text/plain\r\n", "there"),
    }
}

#[tokio::test]
async fn each_hop_is_looked_at() {
    for (target, expected) in CHAINS {
        let net = Net::new(answers(target))
            .await
            .name("private.test", &["10.0.0.7"])
            .name("mixed.test", &["93.184.216.34 127.0.0.1"]);
        let outcome = fetch(&net, &request("http://public.test/start")).await;
        let told = told(&outcome);
        assert!(told.contains(expected), "{target:?}: {told}");
        let connected = net.connected.lock().unwrap();
        let strays: Vec<_> =
            connected.iter().filter(|to| !to.ip().to_string().starts_with("93.184.216.")).collect();
        assert!(strays.is_empty(), "{target:?}: connected to {strays:?}");
        assert!(net.requests().len() <= 6, "{target:?}");
    }
}

#[tokio::test]
async fn a_refused_redirect_names_where_it_came_from() {
    let net = Net::new(answers("http://127.0.0.1/admin")).await;
    let outcome = fetch(&net, &request("http://public.test/start")).await;
    let Err(FetchError::Redirected { from, .. }) = &outcome else { panic!("{}", told(&outcome)) };
    assert_eq!(from, "http://public.test/start");
}

#[tokio::test]
async fn the_statuses_that_redirect_do_and_others_answer() {
    for status in [300, 301, 302, 303, 304, 305, 306, 307, 308, 200, 201, 404] {
        let net = Net::new(move |path| match path {
            "/a" => Reply::with(status, "Location: /b\r\n", ""),
            _ => Reply::ok("", "x"),
        })
        .await;
        let fetched = fetch(&net, &request("http://public.test/a")).await.unwrap();
        let follows = matches!(status, 301 | 302 | 303 | 307 | 308);
        assert_eq!(fetched.status, if follows { 200 } else { status });
        let redirects: Vec<_> =
            fetched.redirects.iter().map(|redirect| (redirect.status, redirect.from.as_str())).collect();
        let expected = if follows { vec![(status, "http://public.test/a")] } else { Vec::new() };
        assert_eq!(redirects, expected);
    }
}

#[tokio::test]
async fn credentials_stay_with_their_origin() {
    let net = Net::new(|path| match path {
        "/same" => Reply::redirect("/end"),
        "/host" => Reply::redirect("http://other.test/end"),
        "/port" => Reply::redirect("http://public.test:8080/end"),
        "/back" => Reply::redirect("http://other.test/home"),
        "/home" => Reply::redirect("http://public.test/end"),
        _ => Reply::ok("Set-Cookie: a=b\r\n", "x"),
    })
    .await;
    let headers: Vec<_> = [
        ("Authorization", "Bearer secret"),
        ("Cookie", "session=secret"),
        ("X-Api-Key", "secret"),
        ("Accept-Language", "de"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into();
    for (path, kept) in [("/same", true), ("/host", false), ("/port", false), ("/back", false)] {
        let request =
            FetchRequest { headers: headers.clone(), ..request(&format!("http://public.test{path}")) };
        let fetched = fetch(&net, &request).await.unwrap();
        assert!(!fetched.headers.iter().any(|(name, _)| name == "set-cookie"));
        let requests = net.requests();
        assert!(requests[requests.len() - fetched.redirects.len() - 1].contains("secret"));
        let last = requests.last().unwrap();
        assert_eq!(last.matches("secret").count(), if kept { 3 } else { 0 }, "{path}: {last}");
        assert!(last.contains("accept-language: de") && last.contains("user-agent: wherefore"), "{last}");
    }
}
