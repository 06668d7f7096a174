//! Peers that answer with raw bytes and keep the connection open, as no server library would.

use std::sync::Arc;

use bytes::Bytes;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::hostile::LONGER_THAN_PROBES;
use crate::ports;

/// What a raw peer sends.
#[derive(Clone, Debug)]
pub enum Saying {
    /// Sends these bytes and keeps the connection open.
    Held(Bytes),
}

/// Starts a peer that answers one request per connection and runs until its test ends; returns its origin.
#[expect(clippy::unwrap_used, reason = "a peer that cannot start fails its test")]
pub async fn start(answer: impl Fn(&[u8]) -> Saying + Send + Sync + 'static) -> String {
    let listener = ports::listen("127.0.0.1").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let answer = Arc::new(answer);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let answer = Arc::clone(&answer);
            tokio::spawn(async move {
                let mut request = vec![0; 64 * 1024];
                // A preflight opens a connection and sends nothing.
                if let Some(length) = stream.read(&mut request).await.ok().filter(|length| *length > 0) {
                    let Saying::Held(bytes) = answer(&request[..length]);
                    let _sent = stream.write_all(&bytes).await;
                    tokio::time::sleep(LONGER_THAN_PROBES).await;
                }
            });
        }
    });
    origin
}
