//! Tests with peers that do not exist, send nothing, or send bytes that are not HTTP or TLS. Other tests use
//! names that resolve to private addresses. Every failure must have its code from the fixed vocabulary. For a
//! forbidden address, no connection may be opened.

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::*;
use crate::resolver::{Lookup, Resolver};
use crate::{PREFLIGHT, TargetError, TlsFailure};

async fn closed_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port()
}

fn target(url: &str) -> Target {
    Target::parse(url, Reach::Development).unwrap()
}

#[tokio::test]
async fn fetch_reports_an_answer_that_is_not_http() {
    for bytes in [
        &b"SSH-2.0-OpenSSH_9.9\r\n"[..],
        b"",
        b"\x00\x01\x02\x03",
        b"HTTP/1.1 2000 x\r\n\r\n",
        b"HTTP/9.9 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nbad header\r\n\r\n",
    ] {
        assert_eq!(error_after(bytes).await, FetchError::Broken, "{bytes:?}");
    }
}

#[tokio::test]
async fn fetch_limits_the_size_of_the_headers() {
    for again in
        ["x-flood: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]
    {
        let peer = Peer::flooding("HTTP/1.1 200 OK\r\nx-first: ", again.repeat(64)).await;
        assert_eq!(fetched(&peer).await.unwrap_err(), FetchError::Broken);
    }
}

#[tokio::test]
async fn fetch_stops_endless_1xx_answers_at_the_deadline() {
    let peer = Peer::flooding("", "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(64)).await;
    assert_request_times_out(&fetcher(), peer.at("/"), Duration::from_millis(300)).await;
}

#[tokio::test]
async fn fetch_reports_a_closed_port() {
    let port = closed_port().await;
    for host in ["127.0.0.1", "localhost"] {
        for scheme in ["http", "https"] {
            let target = target(&format!("{scheme}://{host}:{port}/"));
            let refused = fetcher().send(get(target.clone())).await.unwrap_err();
            assert_eq!(refused, FetchError::Refused, "{target}");
            assert_eq!(fetcher().connect(&target, PREFLIGHT).await, Err(FetchError::Refused), "{target}");
        }
    }
}

#[tokio::test]
async fn fetch_opens_a_new_connection_for_each_request() {
    let peer = Peer::serving(|mut connection, _| async move {
        let _ = connection.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").await;
        let _ = connection.read(&mut [0; 16]).await;
    })
    .await;
    let fetcher = fetcher();
    for _ in 0..2 {
        fetcher.send(get(peer.at("/"))).await.unwrap();
    }
    assert_eq!(peer.requests().len(), 2, "each resolved and checked anew");
}

#[tokio::test]
async fn fetch_connect_opens_a_connection_and_sends_nothing() {
    let peer = Peer::sending("").await;
    assert_eq!(fetcher().connect(&peer.at("/mcp"), PREFLIGHT).await, Ok(()));
    let by_name = target(&format!("http://localhost:{}/", peer.at("/").port()));
    assert_eq!(fetcher().connect(&by_name, PREFLIGHT).await, Ok(()));
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(peer.requests().iter().all(String::is_empty), "nothing is said");
}

#[tokio::test]
async fn fetch_uses_tls_for_https_urls() {
    let peer = Peer::sending("HTTP/1.1 400 Bad Request\r\n\r\n").await;
    let secure = target(&peer.base.replace("http:", "https:"));
    assert_eq!(fetcher().send(get(secure)).await.unwrap_err(), FetchError::Tls(TlsFailure::PlainText));
}

#[tokio::test]
async fn fetch_refuses_self_signed_certificates() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let secure = target(&format!("https://{}/", listener.local_addr().unwrap()));
    let der = |text| STANDARD.decode(text).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![der(CERTIFICATE).into()], der(KEY).try_into().unwrap())
        .unwrap();
    let server = std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        let mut session = rustls::ServerConnection::new(Arc::new(config)).unwrap();
        rustls::Stream::new(&mut session, &mut socket).write_all(b"HTTP/1.1 200 OK\r\n\r\n{}")
    });
    assert_eq!(fetcher().send(get(secure)).await.unwrap_err(), FetchError::Tls(TlsFailure::UnknownIssuer));
    assert!(server.join().unwrap().is_err(), "the handshake was broken off");
}

/// Self-signed for 127.0.0.1, in DER and Base64, with its key; made for this test only.
const CERTIFICATE: &str = "MIIBkDCCATagAwIBAgIUapPC7LBAWa1xvd04Z73jCAnwVyEwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJMTI3LjAuMC4xMCAXDTI2\
    MTEyMDIxNTYxN1oYDzIxMjYxMDI3MjE1NjE3WjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC\
    AAReNMRVAkaM6qyaoDOorllSiy+b2lWIJcVCJa4GTWcXUSghWtoPppq8taCzmdin38X8S+dpa2y15QGPKWxvZ95Ao2QwYjAdBgNV\
    HQ4EFgQUTqrZlDOEvyvw/zkghGT+Dt/PDrQwHwYDVR0jBBgwFoAUTqrZlDOEvyvw/zkghGT+Dt/PDrQwDwYDVR0TAQH/BAUwAwEB\
    /zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0gAMEUCIQCUhZjDfeALBCgmL/k7xUgCXtwfZQzn+GmGnrmPmlfrzgIgQ4HR\
    uZ0aFDFtrGT1aMtvR+11+R/Ox3q22nRKGayatb0=";
const KEY: &str = "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgypmWq6d5UVC+jJ+BJ8VnRIBH/7mGbOyrlJC849KR0W+hRANCAARe\
    NMRVAkaM6qyaoDOorllSiy+b2lWIJcVCJa4GTWcXUSghWtoPppq8taCzmdin38X8S+dpa2y15QGPKWxvZ95A";

fn answering(lookup: Lookup, reach: Reach) -> Fetcher {
    Fetcher::with_resolver(Resolver { reach, lookup }, "test", None)
}

#[tokio::test]
async fn fetch_refuses_names_that_resolve_to_private_addresses() {
    let own: Lookup = |_| Box::pin(async { Ok(vec!["127.0.0.1".parse().unwrap()]) });
    let mixed: Lookup =
        |_| Box::pin(async { Ok(vec!["8.8.8.8".parse().unwrap(), "10.0.0.1".parse().unwrap()]) });
    let target = target("https://rebind.example.org:8443/");
    let blocked = FetchError::Blocked(TargetError::PrivateAddress);
    for reach in [Reach::Public, Reach::Development] {
        for fetcher in [answering(own, reach), answering(mixed, reach)] {
            assert_eq!(fetcher.send(get(target.clone())).await.unwrap_err(), blocked);
            assert_eq!(fetcher.connect(&target, PREFLIGHT).await, Err(blocked.clone()));
        }
    }
    let unknown = answering(|_| Box::pin(async { Err(FetchError::NameNotFound) }), Reach::Public);
    assert_eq!(unknown.send(get(target.clone())).await.unwrap_err().code(), "dns_nxdomain");
    let silent = answering(|_| Box::pin(async { Err(FetchError::NameUnresolved) }), Reach::Public);
    assert_eq!(silent.send(get(target)).await.unwrap_err().code(), "dns_failure");
}

#[tokio::test]
async fn fetch_deadline_includes_the_dns_lookup() {
    let slow = answering(|_| Box::pin(std::future::pending()), Reach::Public);
    let after = Duration::from_millis(100);
    let target = target("https://slow.example.org/");
    assert_request_times_out(&slow, target.clone(), after).await;
    let started = Instant::now();
    assert_eq!(slow.connect(&target, after).await, Err(FetchError::Timeout { after }));
    assert!(started.elapsed() < A_BUSY_MACHINE);
}

#[tokio::test]
async fn public_fetcher_refuses_targets_of_development_mode() {
    let peer = Peer::sending("HTTP/1.1 200 OK\r\n\r\n{}").await;
    let public = Fetcher::new(Reach::Public, "test", None);
    let blocked = FetchError::Blocked(TargetError::IpLiteral);
    assert_eq!(public.send(get(peer.at("/"))).await.unwrap_err(), blocked);
    assert_eq!(public.connect(&peer.at("/"), PREFLIGHT).await, Err(blocked));
    assert!(peer.requests().is_empty());
}

#[tokio::test]
async fn fetch_never_calls_its_own_host() {
    let peer = Peer::sending("HTTP/1.1 200 OK\r\n\r\n{}").await;
    let elsewhere = Peer::sending(format!(
        "HTTP/1.1 302 Found\r\nlocation: {}\r\n\r\n",
        peer.base.replace("127.0.0.1", "localhost")
    ))
    .await;
    let fetcher = Fetcher::new(Reach::Development, "a\r\nb\u{1f600}", Some("LocalHost."));
    let own = target(&format!("http://localhost:{}/", peer.at("/").port()));
    assert_eq!(fetcher.send(get(own.clone())).await.unwrap_err(), FetchError::OwnHost);
    assert_eq!(fetcher.connect(&own, PREFLIGHT).await, Err(FetchError::OwnHost));
    let by_redirect =
        FetchError::AfterRedirect { origin: own.origin(), error: Box::new(FetchError::OwnHost) };
    assert_eq!(fetcher.send(get(elsewhere.at("/"))).await.unwrap_err(), by_redirect);
    assert!(peer.requests().is_empty());
    assert!(fetcher.without_own_host_rule().send(get(own)).await.unwrap().status.is_success());
    assert!(peer.requests()[0].contains("user-agent: ab\r\n"), "what is not printable is left out");
}

#[test]
fn fetch_ignores_the_proxy_of_the_environment() {
    // The environment is read once per process and cannot be changed safely in this one, so another runs one test.
    let bodies = module_path!().replace("connections", "bodies");
    let (_, module) = bodies.split_once("::").unwrap();
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", &format!("{module}::fetch_accepts_a_plain_answer")]);
    child.env_remove("NO_PROXY").env_remove("no_proxy");
    let proxied =
        ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"].map(|name| (name, "http://127.0.0.1:1"));
    let output = child.envs(proxied).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"), "{output:?}");
}

#[test]
fn fetch_errors_do_not_contain_addresses() {
    for error in [
        FetchError::Blocked(TargetError::PrivateAddress),
        FetchError::OwnHost,
        FetchError::NameNotFound,
        FetchError::NameUnresolved,
        FetchError::Refused,
        FetchError::Tls(TlsFailure::Other),
        FetchError::Timeout { after: PREFLIGHT },
        FetchError::TooLarge { limit: 7 },
        FetchError::TooManyRedirects,
        FetchError::BadRedirect,
        FetchError::Broken,
        FetchError::BadEncoding,
    ] {
        let text = error.to_string();
        assert!(text.ends_with('.') && !text.contains("://") && !text.contains("127."), "{text}");
        assert!(error.code().chars().all(|c| c.is_ascii_lowercase() || c == '_'));
    }
    assert!(FetchError::Timeout { after: PREFLIGHT }.to_string().contains("2500 ms"));
}
