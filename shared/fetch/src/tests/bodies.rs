//! Tests with three kinds of bodies: bodies that do not end, bodies that grow when they are decompressed, and
//! bodies with a wrong length or encoding in the header. Only `max_bytes` and the deadline may limit how much
//! is read. Headers of the peer must not change these limits.

use super::*;

const ENDLESS: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n";
const GZIP: &str = "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n";
const EVENTS: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
/// `{"name":"zipped"}`, compressed by gzip.
const ZIPPED: &[u8] = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xabV\xcaK\xccMU\xb2R\xaa\xca,(HMQ\xaa\x05\x00\xf5/\xb7\xd9\x11\x00\x00\x00";

/// The head of a gzip file, and the start of a block in deflate's fixed code: one literal zero byte.
const BOMB_START: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];

/// Bits of deflate's fixed code (RFC 1951 §3.2.6): a block with one literal, and then an endless repetition of the
/// instruction "repeat the last byte 258 times". The instruction takes 13 bits, so 13 bytes become 2064 bytes.
fn bomb() -> (Vec<u8>, Vec<u8>) {
    let copy = [true, true, false, false, false, true, false, true, false, false, false, false, false];
    let head = [true, true, false].into_iter().chain([false, false, true, true, false, false, false, false]);
    let bits: Vec<bool> = head.chain(copy.into_iter().cycle()).take(11 + 13 * 8 + 13 * 8 * 256).collect();
    let bytes: Vec<u8> = bits
        .chunks(8)
        .map(|byte| byte.iter().enumerate().fold(0, |sum, (place, bit)| sum | (u8::from(*bit) << place)))
        .collect();
    let mut start = BOMB_START.to_vec();
    start.extend_from_slice(&bytes[..13]);
    (start, bytes[13..13 + 13 * 255].to_vec())
}

#[tokio::test]
async fn fetch_accepts_a_plain_answer() {
    let peer = Peer::sending(
        "HTTP/1.1 404 Not Found\r\nContent-Type: Application/JSON; Charset=\"X\"\r\nX-A: b\r\n\r\n{\"a\": 1}",
    )
    .await;
    let answer = fetched(&peer).await.unwrap();
    let found = (answer.status.as_u16(), answer.content_type(), answer.truncated);
    assert_eq!(found, (404, "application/json", false));
    assert_eq!(answer.header("content-type"), Some("application/json; Charset=\"X\""));
    assert_eq!((answer.header("x-a"), answer.json(&mut 100).unwrap()["a"].as_u64()), (Some("b"), Some(1)));
    assert_eq!(answer.target, peer.at("/card"));
    let request = peer.requests().remove(0).to_ascii_lowercase();
    for line in [
        "get /card http/1.1",
        "user-agent: test/1.0 (+https://example.org)",
        "accept-encoding: gzip",
        "accept: application/json",
    ] {
        assert!(request.contains(&format!("{line}\r\n")), "{line} in {request}");
    }
}

#[tokio::test]
async fn fetch_stops_at_the_limit_of_an_endless_body() {
    let peer = Peer::flooding(ENDLESS, vec![b' '; 65536]).await;
    assert_eq!(fetched(&peer).await.unwrap_err(), FetchError::TooLarge { limit: 256 * 1024 });
}

#[tokio::test]
async fn fetch_accepts_a_body_of_exactly_the_limit() {
    let peer = Peer::sending(format!("{ENDLESS}12345")).await;
    let fetcher = fetcher();
    let at_most = |bytes| fetcher.send(get(peer.at("/")).with_max_bytes(bytes));
    assert_eq!(at_most(5).await.unwrap().body, "12345");
    assert_eq!(at_most(4).await.unwrap_err(), FetchError::TooLarge { limit: 4 });
}

#[tokio::test]
async fn fetch_ignores_the_content_length_header() {
    for rest in [
        "content-length: 18446744073709551614\r\n\r\n{}",
        "transfer-encoding: chunked\r\n\r\nfffffffffffffff\r\n{}",
        "content-length: -1\r\n\r\n{}",
    ] {
        assert_eq!(error_after(format!("HTTP/1.1 200 OK\r\n{rest}")).await, FetchError::Broken, "{rest}");
    }
}

#[tokio::test]
async fn fetch_stops_a_very_slow_body_at_the_deadline() {
    let peer = Peer::serving(|mut connection, _| async move {
        let mut sent = connection.write_all(ENDLESS.as_bytes()).await;
        while sent.is_ok() {
            tokio::time::sleep(Duration::from_millis(20)).await;
            sent = connection.write_all(b" ").await;
        }
    })
    .await;
    assert_request_times_out(&fetcher(), peer.at("/"), Duration::from_millis(300)).await;
}

#[tokio::test]
async fn fetch_limits_the_decompressed_size_of_a_gzip_bomb() {
    let (start, again) = bomb();
    let thirteen_kilobytes: Arc<[u8]> = [GZIP.as_bytes(), &start, &again.repeat(4)].concat().into();
    let peer = Peer::serving(move |mut connection, _| {
        let bytes = Arc::clone(&thirteen_kilobytes);
        async move {
            connection.write_all(&bytes).await.unwrap();
            let _ = connection.read(&mut [0; 16]).await;
        }
    })
    .await;
    let error = fetcher().send(get(peer.at("/")).with_max_bytes(1 << 20)).await.unwrap_err();
    assert_eq!(error, FetchError::TooLarge { limit: 1 << 20 });
}

#[tokio::test]
async fn fetch_decompresses_gzip() {
    let peer = Peer::sending([GZIP.as_bytes(), ZIPPED].concat()).await;
    assert_eq!(fetched(&peer).await.unwrap().json(&mut 100).unwrap()["name"], "zipped");
}

#[tokio::test]
async fn fetch_distinguishes_a_wrong_encoding_from_a_broken_connection() {
    let gzip = |body: &[u8]| [GZIP.as_bytes(), body].concat();
    let cut = b"HTTP/1.1 200 OK\r\ncontent-length: 90\r\ncontent-encoding: gzip\r\n\r\n";
    for (what, bytes, error) in [
        ("not gzip", gzip(b"{\"plain\": true, \"long\": \"enough\"}"), FetchError::BadEncoding),
        ("gzip again and again", gzip(&ZIPPED.repeat(20_000)), FetchError::BadEncoding),
        ("cut gzip", gzip(&ZIPPED[..ZIPPED.len() / 2]), FetchError::BadEncoding),
        ("not asked for", GZIP.replace("gzip\r\n\r\n", "br\r\n\r\nabc").into(), FetchError::BadEncoding),
        ("cut body", b"HTTP/1.1 200 OK\r\ncontent-length: 90\r\n\r\n{".to_vec(), FetchError::Broken),
        ("cut while zipped", [cut, &ZIPPED[..20]].concat(), FetchError::Broken),
    ] {
        assert_eq!(error_after(bytes).await, error, "{what}");
    }
}

#[tokio::test]
async fn fetch_reads_no_body_after_a_head_request() {
    let peer =
        Peer::sending("HTTP/1.1 200 OK\r\ncontent-length: 9999999\r\ncontent-encoding: gzip\r\n\r\n").await;
    let answer = fetcher().send(Request { method: http::Method::HEAD, ..get(peer.at("/")) }).await.unwrap();
    assert!(answer.body.is_empty() && answer.status.is_success());
}

#[tokio::test]
async fn fetch_closes_an_event_stream_when_it_has_read_enough() {
    let (closed, was_closed) = tokio::sync::oneshot::channel();
    let closed = Mutex::new(Some(closed));
    let peer = Peer::serving(move |mut connection, _| {
        let closed = closed.lock().unwrap().take();
        async move {
            connection.write_all(EVENTS.as_bytes()).await.unwrap();
            for event in [": hello\n\n", "data: {\"id\"", ":1}\n\n"] {
                connection.write_all(event.as_bytes()).await.unwrap();
                tokio::time::sleep(Duration::from_millis(30)).await;
            }
            let read = connection.read(&mut [0; 16]).await;
            let _ = closed.unwrap().send(matches!(read, Ok(0) | Err(_)));
        }
    })
    .await;
    let request = get(peer.at("/")).until(|body| body.ends_with(b"}\n\n"));
    let answer = fetcher().send(request).await.unwrap();
    assert_eq!((&answer.body[..], answer.truncated), (&b": hello\n\ndata: {\"id\":1}\n\n"[..], true));
    assert!(was_closed.await.unwrap(), "the connection is dropped");
}

#[tokio::test]
async fn fetch_stops_when_it_has_read_enough_of_an_endless_stream() {
    let peer = Peer::flooding(EVENTS, b"data: 1\n\n".repeat(4000)).await;
    let request = get(peer.at("/")).with_max_bytes(100_000).until(|body| body.len() > 50_000);
    let answer = fetcher().send(request).await.unwrap();
    assert!(answer.truncated && answer.body.len() <= 100_000);
    let whole = get(peer.at("/")).with_max_bytes(100_000).until(|body| body.len() == 100_000);
    assert_eq!(fetcher().send(whole).await.unwrap().body.len(), 100_000);
    let never = get(peer.at("/")).with_max_bytes(100_000).until(|_| false);
    assert_eq!(fetcher().send(never).await.unwrap_err(), FetchError::TooLarge { limit: 100_000 });
}

#[tokio::test]
async fn fetch_ignores_an_error_after_it_has_read_enough() {
    for after in ["", "no chunk\r\n"] {
        let cut = format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n{after}");
        let peer = Peer::sending(cut).await;
        let request = || get(peer.at("/"));
        let answer = fetcher().send(request().until(|body| body.ends_with(b"\n\n"))).await.unwrap();
        assert_eq!(answer.body, "data: 1\n\n");
        assert_eq!(fetcher().send(request().until(|_| false)).await.unwrap_err(), FetchError::Broken);
        assert_eq!(fetcher().send(request()).await.unwrap_err(), FetchError::Broken);
    }
    // Here the answer and what is wrong with it (the checksum) are there at the same moment.
    let mut spoilt = [GZIP.as_bytes(), ZIPPED].concat();
    let checksum = spoilt.len() - 8;
    spoilt[checksum] ^= 1;
    let peer = Peer::sending(spoilt).await;
    let answer = fetcher().send(get(peer.at("/")).until(|body| body.ends_with(b"}"))).await.unwrap();
    assert_eq!(answer.body, "{\"name\":\"zipped\"}");
    assert_eq!(fetched(&peer).await.unwrap_err(), FetchError::BadEncoding);
}

#[tokio::test]
async fn fetch_stops_early_in_a_large_decompressed_body() {
    let (start, again) = bomb();
    let peer = Peer::sending([GZIP.as_bytes(), &start, &again.repeat(4)].concat()).await;
    let answer = fetcher().send(get(peer.at("/")).until(|body| body.len() > 50_000)).await.unwrap();
    assert!(answer.truncated && answer.body.len() < 80_000, "{} bytes", answer.body.len());
}
