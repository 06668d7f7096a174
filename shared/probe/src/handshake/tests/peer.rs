//! A scripted peer for tests. It writes HTTP/1.1 by hand, because no server library can produce the faults
//! that the tests need. Each connection has one request. The peer records all requests, so that a test can
//! see what a probe costs.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::handshake::findings::Findings;
use crate::handshake::preflight::{PreflightResult, preflight};
use crate::handshake::run::probe_within;
use crate::handshake::{Depth, Subject};
use registry_fetch::{Fetcher, Target};
use registry_model::{DeclaredTransport, Kind, Random, Reach, Verdict};

/// A request as the peer saw it.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) verb: String,
    pub(crate) path: String,
    pub(crate) head: String,
    pub(crate) body: Value,
}

impl Received {
    /// The JSON-RPC method, or verb and path.
    pub(crate) fn what(&self) -> String {
        self.method().map_or_else(|| format!("{} {}", self.verb, self.path), str::to_owned)
    }

    pub(crate) fn method(&self) -> Option<&str> {
        self.body["method"].as_str()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    /// A JSON-RPC result for this request.
    pub(crate) fn result(&self, result: &Value) -> Reply {
        Reply::ok(&json!({"jsonrpc": "2.0", "id": self.body["id"], "result": result}))
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Reply {
    status: u16,
    headers: Vec<(&'static str, String)>,
    pub(crate) body: String,
    stays_open: bool,
    silent: bool,
}

impl Reply {
    pub(crate) fn new(status: u16, kind: &str, body: impl Into<String>) -> Self {
        let headers = vec![("content-type", kind.to_owned())];
        Self { status, headers, body: body.into(), stays_open: false, silent: false }
    }

    pub(crate) fn ok(body: &Value) -> Self {
        Self::json(200, body)
    }

    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::new(status, "application/json", body.to_string())
    }

    pub(crate) fn html(status: u16) -> Self {
        Self::new(status, "text/html", "<!doctype html><title>hello</title>")
    }

    pub(crate) fn empty(status: u16) -> Self {
        Self { headers: Vec::new(), ..Self::new(status, "", "") }
    }

    /// A JSON-RPC error for what was asked.
    pub(crate) fn error(status: u16, asked: &Received, code: i64, message: &str) -> Self {
        let error = json!({"code": code, "message": message});
        Self::json(status, &json!({"jsonrpc": "2.0", "id": asked.body["id"], "error": error}))
    }

    /// The same as an event stream that opens with an empty event and is never closed.
    pub(crate) fn streamed(self) -> Self {
        let body = format!("id: 0\nretry: 3000\ndata: \n\nevent: message\ndata: {}\n\n", self.body);
        Self { stays_open: true, ..Self::new(self.status, "text/event-stream", body) }
    }

    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    /// No answer, and the connection stays open.
    pub(crate) fn silence() -> Self {
        Self { silent: true, ..Self::empty(200) }
    }

    pub(crate) fn open(self) -> Self {
        Self { stays_open: true, ..self }
    }
}

/// A peer on a loopback port of its own.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) origin: String,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Peer {
    pub(crate) async fn start(script: impl Fn(&Received) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let received = Arc::new(Mutex::new(Vec::new()));
        let (script, seen) = (Arc::new(script), Arc::clone(&received));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (script, seen) = (Arc::clone(&script), Arc::clone(&seen));
                tokio::spawn(async move { serve(stream, &*script, &seen).await });
            }
        });
        Self { origin, received }
    }

    /// Everything that was asked so far.
    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.received().iter().map(Received::what).collect()
    }

    pub(crate) fn subject(&self, kind: Option<Kind>, path: &str) -> Subject {
        Subject {
            kind,
            is_proven: false,
            url: Target::parse(&format!("{}{path}", self.origin), Reach::Development).unwrap(),
            depth: Depth::Message,
            last_era: None,
            declared: DeclaredTransport::Unknown,
        }
    }
}

/// Preflight and probe, as a sweep runs them.
pub(crate) async fn probe(subject: &Subject) -> Verdict {
    probe_for(Duration::from_secs(10), subject).await
}

pub(crate) async fn probe_for(limit: Duration, subject: &Subject) -> Verdict {
    let (fetcher, random) = (Fetcher::new(Reach::Development, "registry-test", None), Random::seeded(11));
    match preflight(&fetcher, subject).await {
        PreflightResult::Pass { card } => {
            let mut findings = Findings::default();
            probe_within(limit, &fetcher, subject, card, &random, &mut findings, None).await;
            findings.into_verdict()
        }
        PreflightResult::Reject(verdict) => verdict,
    }
}

pub(crate) fn codes(verdict: &Verdict) -> Vec<&str> {
    verdict.reasons.iter().map(|reason| reason.code.as_str()).collect()
}

async fn serve(
    mut stream: TcpStream,
    script: &(dyn Fn(&Received) -> Reply + Send + Sync),
    seen: &Mutex<Vec<Received>>,
) {
    // A preflight opens a connection and says nothing.
    let Some(asked) = read_request(&mut stream).await else { return };
    seen.lock().unwrap().push(asked.clone());
    let reply = script(&asked);
    if reply.silent {
        return tokio::time::sleep(Duration::from_secs(60)).await;
    }
    let mut head = format!("HTTP/1.1 {} X\r\nconnection: close\r\n", reply.status);
    for (name, value) in &reply.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if !reply.stays_open {
        head.push_str(&format!("content-length: {}\r\n", reply.body.len()));
    }
    let _ = stream.write_all(format!("{head}\r\n{}", reply.body).as_bytes()).await;
    if reply.stays_open {
        tokio::time::sleep(Duration::from_secs(60)).await;
    }
    let _ = stream.shutdown().await;
}

async fn read_request(stream: &mut TcpStream) -> Option<Received> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    let (head, body_at) = loop {
        let read = stream.read(&mut chunk).await.ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&chunk[..read]);
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break (String::from_utf8_lossy(&bytes[..end]).into_owned(), end + 4);
        }
    };
    let mut words = head.split(' ').map(str::to_owned);
    let (verb, path) = (words.next()?, words.next()?);
    let mut asked = Received { verb, path, head, body: Value::Null };
    let length: usize = asked.header("content-length").map_or(0, |text| text.parse().unwrap());
    while bytes.len() < body_at + length {
        let read = stream.read(&mut chunk).await.ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&chunk[..read]);
    }
    asked.body = serde_json::from_slice(&bytes[body_at..]).unwrap_or_default();
    Some(asked)
}
