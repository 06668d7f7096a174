//! Peers that answer in raw bytes, by a table: what to send, and how to end. The harm that they do is in the bytes and
//! their pace, which no server library would send.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// Longer than any probe.
const FOR_EVER: Duration = Duration::from_secs(3600);

/// A request as a raw peer saw it.
#[derive(Clone, Debug)]
pub struct RawRequest {
    /// The request line and the headers.
    pub head: String,
    /// The JSON of the body, or null.
    pub body: Value,
}

impl RawRequest {
    /// The path, without a query.
    #[must_use]
    pub fn path(&self) -> &str {
        self.head.split(' ').nth(1).unwrap_or_default()
    }

    /// The JSON-RPC method; empty where it is no call.
    #[must_use]
    pub fn method(&self) -> &str {
        self.body["method"].as_str().unwrap_or_default()
    }

    /// The value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    /// This peer, as the caller reached it.
    #[must_use]
    pub fn origin(&self) -> String {
        format!("http://{}", self.header("host").unwrap_or_default())
    }
}

/// What a raw peer sends, and how it ends.
#[derive(Clone, Debug)]
pub enum Saying {
    /// These bytes, and the connection is closed in good order.
    Once(Bytes),
    /// These bytes, and the connection is held.
    Held(Bytes),
    /// These bytes, and the connection is reset.
    Reset(Bytes),
    /// The first bytes, and the second as fast as they are taken, without end.
    Flood(Bytes, Bytes),
    /// The first bytes, and each of the others after a pause; then the connection is held.
    Drip(Bytes, Bytes, Duration),
}

/// A peer that answers each connection by one request, until its test ends; gives its origin.
#[expect(clippy::unwrap_used, reason = "a peer that cannot be made fails its test")]
pub async fn start(answer: impl Fn(&RawRequest) -> Saying + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let answer = Arc::new(answer);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let answer = Arc::clone(&answer);
            tokio::spawn(async move {
                // A preflight opens a connection and says nothing.
                if let Some(request) = read(&mut stream).await {
                    let saying = answer(&request);
                    drop(say(stream, saying).await);
                }
            });
        }
    });
    origin
}

async fn say(mut stream: TcpStream, saying: Saying) -> std::io::Result<()> {
    match saying {
        Saying::Once(bytes) => {
            stream.write_all(&bytes).await?;
            stream.shutdown().await?;
            // Closing with unread bytes would reset the connection and take the answer with it.
            let _read = stream.read(&mut [0; 1024]).await?;
        }
        Saying::Held(bytes) => {
            stream.write_all(&bytes).await?;
            tokio::time::sleep(FOR_EVER).await;
        }
        Saying::Reset(bytes) => {
            stream.write_all(&bytes).await?;
            tokio::time::sleep(Duration::from_millis(50)).await;
            stream.set_zero_linger()?;
        }
        Saying::Flood(first, again) => {
            stream.write_all(&first).await?;
            loop {
                stream.write_all(&again).await?;
            }
        }
        Saying::Drip(first, drops, pause) => {
            stream.set_nodelay(true)?;
            stream.write_all(&first).await?;
            for drop in &drops {
                tokio::time::sleep(pause).await;
                stream.write_all(&[*drop]).await?;
            }
            tokio::time::sleep(FOR_EVER).await;
        }
    }
    Ok(())
}

async fn read(stream: &mut TcpStream) -> Option<RawRequest> {
    let mut bytes = Vec::new();
    let mut chunk = vec![0; 64 * 1024];
    let body_at = loop {
        let read = stream.read(&mut chunk).await.ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&chunk[..read]);
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end + 4;
        }
    };
    let head = String::from_utf8_lossy(&bytes[..body_at]).into_owned();
    let mut request = RawRequest { head, body: Value::Null };
    let length: usize =
        request.header("content-length").and_then(|text| text.parse().ok()).unwrap_or_default();
    while bytes.len() < body_at + length {
        let read = stream.read(&mut chunk).await.ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&chunk[..read]);
    }
    request.body = serde_json::from_slice(&bytes[body_at..]).unwrap_or_default();
    Some(request)
}
