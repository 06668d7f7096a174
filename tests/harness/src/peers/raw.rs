//! Peers that send raw bytes and then close the connection in a certain way, as no server library would.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::ports;

const LONGER_THAN_PROBES: Duration = Duration::from_secs(3600);

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

    /// The JSON-RPC method; empty if it is not a call.
    #[must_use]
    pub fn method(&self) -> &str {
        self.body["method"].as_str().unwrap_or_default()
    }

    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    /// The origin of this peer, from the `host` header.
    #[must_use]
    pub fn origin(&self) -> String {
        format!("http://{}", self.header("host").unwrap_or_default())
    }
}

/// What a raw peer sends, and how it ends the connection.
#[derive(Clone, Debug)]
pub enum Saying {
    /// Sends these bytes and closes the connection.
    Once(Bytes),
    /// Sends these bytes and keeps the connection open.
    Held(Bytes),
    /// Sends these bytes and resets the connection.
    Reset(Bytes),
    /// Sends the first bytes, then repeats the second without end.
    Flood(Bytes, Bytes),
    /// Sends the first bytes, then each of the others after a pause; then keeps the connection open.
    Drip(Bytes, Bytes, Duration),
}

/// Starts a peer that answers one request per connection and runs until its test ends; returns its origin.
#[expect(clippy::unwrap_used, reason = "a peer that cannot start fails its test")]
pub async fn start(answer: impl Fn(&RawRequest) -> Saying + Send + Sync + 'static) -> String {
    let listener = ports::listen("127.0.0.1").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let answer = Arc::new(answer);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let answer = Arc::clone(&answer);
            tokio::spawn(async move {
                // A preflight opens a connection and sends nothing.
                if let Some(request) = read(&mut stream).await {
                    let saying = answer(&request);
                    drop(send(stream, saying).await);
                }
            });
        }
    });
    origin
}

async fn send(mut stream: TcpStream, saying: Saying) -> std::io::Result<()> {
    match saying {
        Saying::Once(bytes) => {
            stream.write_all(&bytes).await?;
            stream.shutdown().await?;
            // Closing with unread bytes would reset the connection and lose the answer.
            let _read = stream.read(&mut [0; 1024]).await?;
        }
        Saying::Held(bytes) => {
            stream.write_all(&bytes).await?;
            tokio::time::sleep(LONGER_THAN_PROBES).await;
        }
        Saying::Reset(bytes) => {
            stream.write_all(&bytes).await?;
            tokio::time::sleep(Duration::from_millis(50)).await;
            stream.set_zero_linger()?;
        }
        Saying::Flood(first, repeated) => {
            stream.write_all(&first).await?;
            loop {
                stream.write_all(&repeated).await?;
            }
        }
        Saying::Drip(first, drops, pause) => {
            stream.set_nodelay(true)?;
            stream.write_all(&first).await?;
            for drop in &drops {
                tokio::time::sleep(pause).await;
                stream.write_all(&[*drop]).await?;
            }
            tokio::time::sleep(LONGER_THAN_PROBES).await;
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
