//! Tests of the fetcher against hostile servers on loopback: no server may use more time, bytes or redirects
//! than the request allows. The servers write raw bytes to TCP connections, because server libraries cannot
//! send such invalid answers.

mod bodies;
mod connections;
mod redirects;

use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::{Answer, FetchError, Fetcher, Request, Target};
use registry_model::Reach;

/// The time by which a request may exceed its deadline on a busy machine. Without a deadline, these peers would keep a
/// request waiting forever.
const A_BUSY_MACHINE: Duration = Duration::from_secs(5);

/// A peer on loopback, and the requests that it has received: the head, and the part of the body that came with it.
struct Peer {
    base: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Peer {
    /// Calls `serve` for each connection, with the connection and the requested path.
    async fn serving<S, F>(serve: S) -> Self
    where
        S: Fn(TcpStream, String) -> F + Send + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let record = Arc::clone(&requests);
        tokio::spawn(async move {
            while let Ok((mut connection, _)) = listener.accept().await {
                let mut request = vec![0; 8192];
                let length = connection.read(&mut request).await.unwrap_or(0);
                let request = String::from_utf8_lossy(&request[..length]).into_owned();
                let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
                record.lock().unwrap().push(request);
                tokio::spawn(serve(connection, path));
            }
        });
        Self { base, requests }
    }

    /// Sends the same bytes to every client, and closes the connection.
    async fn sending(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes: Arc<[u8]> = bytes.into().into();
        Self::serving(move |connection, _| send_all(connection, Arc::clone(&bytes))).await
    }

    /// Sends `start`, and then repeats `again` until the client closes the connection.
    async fn flooding(start: &'static str, again: impl Into<Vec<u8>>) -> Self {
        let again: Arc<[u8]> = again.into().into();
        Self::serving(move |mut connection, _| {
            let again = Arc::clone(&again);
            async move {
                let mut sent = connection.write_all(start.as_bytes()).await;
                while sent.is_ok() {
                    sent = connection.write_all(&again).await;
                }
            }
        })
        .await
    }

    fn at(&self, path: &str) -> Target {
        Target::parse(&format!("{}{path}", self.base), Reach::Development).unwrap()
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

async fn send_all(mut connection: TcpStream, bytes: Arc<[u8]>) {
    let _ = connection.write_all(&bytes).await;
    let _ = connection.shutdown().await;
    // Closing with unread bytes would reset the connection and take the answer with it.
    let _ = connection.read(&mut [0; 1024]).await;
}

fn fetcher() -> Fetcher {
    Fetcher::new(Reach::Development, "test/1.0 (+https://example.org)", None)
}

/// A GET with so short a deadline that a test which waits for it is still quick.
fn get(target: Target) -> Request {
    Request::get(target).with_deadline(Duration::from_millis(1500))
}

async fn fetched(peer: &Peer) -> Result<Answer, FetchError> {
    fetcher().send(get(peer.at("/card"))).await
}

/// The error of a GET from a peer that sends these bytes.
async fn error_after(bytes: impl Into<Vec<u8>>) -> FetchError {
    fetched(&Peer::sending(bytes).await).await.unwrap_err()
}

async fn assert_request_times_out(fetcher: &Fetcher, target: Target, after: Duration) {
    let started = Instant::now();
    let error = fetcher.send(get(target).with_deadline(after)).await.unwrap_err();
    assert_eq!(error, FetchError::Timeout { after });
    assert!(started.elapsed() < after + A_BUSY_MACHINE, "{:?}", started.elapsed());
}
