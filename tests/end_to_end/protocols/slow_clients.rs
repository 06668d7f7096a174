//! Tests that clients which send slowly, or never finish, do not keep other clients waiting.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use registry::model::Clock;
use tests::prelude::*;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

const SLOW_CLIENTS: usize = 1000;

fn address(registry: &TestRegistry) -> SocketAddr {
    registry.url("").trim_start_matches("http://").parse().unwrap()
}

/// A connection from an address of this machine.
async fn connect(from: [u8; 4], to: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((Ipv4Addr::from(from), 0).into()).unwrap();
    socket.connect(to).await.unwrap()
}

/// Whether the server closes a connection within a time, with or without an answer.
async fn is_closed(stream: &mut TcpStream, within: Duration) -> bool {
    let mut rest = Vec::new();
    tokio::time::timeout(within, stream.read_to_end(&mut rest)).await.is_ok()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_slow_clients_do_not_keep_an_honest_client_waiting() {
    let options = TestOptions::default()
        .with_clock(Clock::System)
        .with(|settings| settings.connections.read_seconds = 3);
    let registry = TestRegistry::start_with(options).await;
    let to = address(&registry);
    let mut slow = Vec::new();
    for number in 0..SLOW_CLIENTS {
        let mut stream = connect([127, 0, 0, 2], to).await;
        let begin: &[u8] = match number % 2 {
            0 => b"GET /api/feed HTTP/1.1\r\nhost: x\r\nx-a: ",
            _ => b"POST /api/publish HTTP/1.1\r\nhost: x\r\ncontent-length: 10000\r\n\r\n{",
        };
        stream.write_all(begin).await.unwrap();
        slow.push(stream);
    }
    // Each sends one more byte now and then.
    let trickling = tokio::spawn(async move {
        for _ in 0..10 {
            tokio::time::sleep(Duration::from_millis(100)).await;
            for stream in &mut slow {
                let _closed = stream.write_all(b"a").await;
            }
        }
        slow
    });
    for _ in 0..10 {
        let began = Instant::now();
        assert_eq!(registry.get("/api/feed").await.status, 200);
        assert!(began.elapsed() < Duration::from_secs(2), "an honest client waited {:?}", began.elapsed());
    }
    let deadline = Instant::now() + Duration::from_secs(20);
    for stream in &mut trickling.await.unwrap() {
        let left = deadline.saturating_duration_since(Instant::now());
        assert!(is_closed(stream, left).await, "a slow connection stays open");
    }
    // On a new connection: the server may be closing the idle one of the client.
    let mut stream = connect([127, 0, 0, 1], to).await;
    let request = format!("GET /api/feed HTTP/1.1\r\nhost: {to}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

/// An answer that nobody reads would stay in memory.
#[tokio::test(flavor = "multi_thread")]
async fn client_that_does_not_read_is_disconnected() {
    let options = TestOptions::default()
        .with_clock(Clock::System)
        .with(|settings| settings.connections.read_seconds = 2);
    let registry = TestRegistry::start_with(options).await;
    let to = address(&registry);
    let mut stream = connect([127, 0, 0, 2], to).await;
    let request = format!("GET /openapi.json HTTP/1.1\r\nhost: {to}\r\n\r\n");
    // More than the buffers of the system hold.
    let requests = 60;
    let size = registry.get("/openapi.json").await.body.to_string().len();
    assert!(size > 200_000, "{size}");
    stream.write_all(request.repeat(requests).as_bytes()).await.unwrap();
    tokio::time::sleep(Duration::from_secs(6)).await;
    let mut received = Vec::new();
    let _reset =
        tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut received)).await.unwrap();
    assert!(received.len() < requests * size / 2, "{} of {} bytes", received.len(), requests * size);
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_of_one_address_are_limited_in_public_mode() {
    let options =
        TestOptions::public().with_clock(Clock::System).with(|settings| settings.connections.per_address = 5);
    let registry = TestRegistry::start_with(options).await;
    let to = address(&registry);
    let mut open = Vec::new();
    for _ in 0..5 {
        open.push(connect([127, 0, 0, 2], to).await);
    }
    let mut further = connect([127, 0, 0, 2], to).await;
    assert!(is_closed(&mut further, Duration::from_secs(10)).await, "a sixth connection stays open");
    assert_eq!(registry.get("/api/feed").await.status, 200, "another address is refused");
    drop(open);
}

#[tokio::test(flavor = "multi_thread")]
async fn caller_limit_applies_before_the_body_is_read() {
    let registry = TestRegistry::start_with(TestOptions::public().with_requests_at_once(3)).await;
    let to = address(&registry);
    let mut answers = Vec::new();
    for _ in 0..4 {
        let mut stream = connect([127, 0, 0, 2], to).await;
        let head = b"POST /api/publish HTTP/1.1\r\nhost: x\r\ncontent-length: 10000\r\n\r\n{";
        stream.write_all(head).await.unwrap();
        answers.push(stream);
    }
    // Nobody sends the rest of a body: only the refused request is answered.
    let answers = answers.iter_mut().map(|stream| {
        Box::pin(async move {
            let mut text = [0; 12];
            stream.read_exact(&mut text).await.unwrap();
            String::from_utf8(text.to_vec()).unwrap()
        })
    });
    let first = futures::future::select_all(answers);
    let (first, ..) = tokio::time::timeout(Duration::from_secs(10), first).await.unwrap();
    assert_eq!(first, "HTTP/1.1 429");
}
