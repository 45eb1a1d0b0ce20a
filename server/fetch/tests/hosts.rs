//! The addresses of names, the questions to a person, and the hosts that a person opens.

use std::time::Duration;

use super::{Net, Person, Reply, fetch, request, told};
use crate::{FetchRequest, HostPermits, HttpFetcher};

/// The addresses of a name, and a part of the outcome.
const ANSWERS: &[(&str, &str)] = &[
    ("93.184.216.34", "200 http://name.test/"),
    ("93.184.216.34 93.184.216.40", "200 http://name.test/"),
    ("2606:4700::1111 93.184.216.34", "200 http://name.test/"),
    ("", "name.test has no address"),
    ("127.0.0.1", "name.test leads to 127.0.0.1, which is an address of this machine"),
    ("93.184.216.34 10.0.0.1", "name.test leads to 10.0.0.1"),
    ("10.0.0.1 93.184.216.34", "name.test leads to 10.0.0.1"),
    ("93.184.216.34 ::1", "leads to ::1"),
    ("93.184.216.34 ::ffff:93.184.216.34", "IPv4-mapped"),
    ("169.254.169.254", "link-local"),
    ("100.64.1.1", "provider"),
    ("0.0.0.0", "no address of one machine"),
    ("224.0.0.1", "multicast"),
    ("192.0.2.1", "examples"),
    ("fd00::1", "private"),
    ("fe80::1", "link-local"),
    ("64:ff9b::7f00:1", "NAT64"),
    ("2002:a00:1::", "6to4"),
    ("2001::1", "Teredo"),
];

#[tokio::test]
async fn every_address_of_a_name_is_looked_at() {
    for (addresses, expected) in ANSWERS {
        let net = Net::new(|_| Reply::ok("", "x")).await.name("name.test", &[addresses]);
        let outcome = fetch(&net, &request("http://name.test/")).await;
        let told = told(&outcome);
        assert!(told.contains(expected), "{addresses}: {told}");
        if outcome.is_err() {
            assert!(net.connected.lock().unwrap().is_empty(), "{addresses}: a connection was made");
        }
    }
}

#[tokio::test]
async fn a_name_is_looked_up_once_a_hop_and_not_believed_at_the_next() {
    let net = Net::new(|path| match path {
        "/again" => Reply::redirect("/there"),
        _ => Reply::ok("", "x"),
    })
    .await
    .name("rebind.test", &["93.184.216.34", "127.0.0.1"]);
    let told = told(&fetch(&net, &request("http://rebind.test/again")).await);
    assert!(told.contains("rebind.test leads to 127.0.0.1"), "{told}");
    assert_eq!(net.looked_up.lock().unwrap().len(), 2);
    let connected = net.connected.lock().unwrap();
    assert_eq!(connected.iter().map(ToString::to_string).collect::<Vec<_>>(), ["93.184.216.34:80"]);
}

#[tokio::test]
async fn a_name_that_is_not_found_is_told() {
    let net = Net::new(|_| Reply::ok("", "x")).await;
    let told = told(&fetch(&net, &request("http://missing.test/")).await);
    assert_eq!(told, "the host missing.test is not found: no such host");
}

#[tokio::test]
async fn each_new_host_is_asked_for_once_and_before_it_is_looked_up() {
    let net = Net::new(|path| match path {
        "/a" => Reply::redirect("/b"),
        "/b" => Reply::redirect("http://other.test/c"),
        "/c" => Reply::redirect("http://public.test/d"),
        _ => Reply::ok("", "x"),
    })
    .await;
    let person = Person::default();
    let outcome = HttpFetcher::on_network(&net).fetch(&request("http://public.test/a"), &person).await;
    assert_eq!(told(&outcome), "200 http://public.test/d");
    assert_eq!(person.asked.lock().unwrap().as_slice(), ["public.test", "other.test"]);

    let person = Person { no: vec!["other.test"], ..Person::default() };
    net.looked_up.lock().unwrap().clear();
    let outcome = HttpFetcher::on_network(&net).fetch(&request("http://public.test/a"), &person).await;
    let expected =
        "http://public.test/b redirects to where nothing is fetched: the host other.test may not be reached";
    assert_eq!(told(&outcome), expected);
    assert!(!net.looked_up.lock().unwrap().contains(&"other.test".to_owned()));
}

#[tokio::test]
async fn time_in_which_a_person_is_asked_does_not_count() {
    struct Slow;
    impl crate::ReachGate for Slow {
        async fn may_reach(&self, _: &str) -> bool {
            tokio::time::sleep(Duration::from_millis(400)).await;
            true
        }
    }
    let net = Net::new(|_| Reply::ok("", "x")).await;
    let request = FetchRequest { timeout: Duration::from_millis(300), ..request("http://public.test/") };
    assert_eq!(told(&HttpFetcher::on_network(&net).fetch(&request, &Slow).await), "200 http://public.test/");
}

/// A permit, the addresses of the host, the URL, and a part of the outcome.
const PERMITTED: &[(&str, &str, &str, &str)] = &[
    ("local.test:3000", "127.0.0.1", "http://local.test:3000/", "200 http://local.test:3000/"),
    ("local.test:80", "127.0.0.1", "http://local.test/", "200 http://local.test/"),
    (".local.test:80", "127.0.0.1", "http://a.local.test/", "not found"),
    ("127.0.0.1:3000", "", "http://127.0.0.1:3000/", "200 http://127.0.0.1:3000/"),
    ("127.0.0.1:3000", "", "http://127.1:3000/", "200 http://127.0.0.1:3000/"),
    ("[::1]:3000", "", "http://[::1]:3000/", "200 http://[::1]:3000/"),
    ("local.test:3000", "127.0.0.1", "http://local.test:3001/", "port 3001"),
    ("local.test:3000", "127.0.0.1", "http://local.test/", "this machine"),
    ("local.test:3000", "127.0.0.1", "http://127.0.0.1:3000/", "port 3000"),
    ("local.test:3000", "10.0.0.1", "http://local.test:3000/", "does not take a connection"),
    ("local.test:3000", "fd00::1", "http://local.test:3000/", "does not take a connection"),
    ("local.test:3000", "169.254.169.254", "http://local.test:3000/", "link-local"),
    ("local.test:3000", "127.0.0.1 169.254.169.254", "http://local.test:3000/", "link-local"),
    ("local.test:3000", "100.100.100.200", "http://local.test:3000/", "cloud"),
    ("local.test:3000", "fd00:ec2::254", "http://local.test:3000/", "cloud"),
    ("local.test:3000", "224.0.0.1", "http://local.test:3000/", "multicast"),
    ("local.test:3000", "0.0.0.0", "http://local.test:3000/", "no address of one"),
    ("local.test:3000", "::ffff:127.0.0.1", "http://local.test:3000/", "IPv4-mapped"),
    ("169.254.169.254:80", "", "http://169.254.169.254/", "link-local"),
];

#[tokio::test]
async fn a_person_opens_a_server_and_no_more() {
    for (permit, addresses, url, expected) in PERMITTED {
        let net = Net::new(|_| Reply::ok("", "x")).await.name("local.test", &[addresses]);
        let permits = HostPermits::parse([*permit]).unwrap();
        let told = told(&fetch(&net, &FetchRequest { permits, ..request(url) }).await);
        assert!(told.contains(expected), "{permit} {addresses} {url}: {told}");
    }
}

#[tokio::test]
async fn a_public_page_redirects_to_a_permitted_server_alone() {
    let net = Net::new(|path| match path {
        "/in" => Reply::redirect("http://127.0.0.1:3000/x"),
        "/elsewhere" => Reply::redirect("http://127.0.0.1:8080/x"),
        _ => Reply::ok("", "x"),
    })
    .await;
    let permits = HostPermits::parse(["127.0.0.1:3000"]).unwrap();
    let person = Person { no: vec!["127.0.0.1"], ..Person::default() };
    let request = |url: &str| FetchRequest { permits: permits.clone(), ..request(url) };
    // It is asked for as any other.
    let outcome = HttpFetcher::on_network(&net).fetch(&request("http://public.test/in"), &person).await;
    assert!(told(&outcome).ends_with("the host 127.0.0.1 may not be reached"), "{}", told(&outcome));
    let outcome = fetch(&net, &request("http://public.test/elsewhere")).await;
    assert!(told(&outcome).contains("this machine"), "{}", told(&outcome));
}
