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
pub(in crate::handshake) struct Asked {
    pub(in crate::handshake) verb: String,
    pub(in crate::handshake) path: String,
    pub(in crate::handshake) head: String,
    pub(in crate::handshake) body: Value,
}

impl Asked {
    /// The JSON-RPC method, or verb and path.
    pub(in crate::handshake) fn what(&self) -> String {
        self.method().map_or_else(|| format!("{} {}", self.verb, self.path), str::to_owned)
    }

    pub(in crate::handshake) fn method(&self) -> Option<&str> {
        self.body["method"].as_str()
    }

    pub(in crate::handshake) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

#[derive(Clone, Debug)]
pub(in crate::handshake) struct Reply {
    status: u16,
    headers: Vec<(&'static str, String)>,
    pub(in crate::handshake) body: String,
    stays_open: bool,
    silent: bool,
}

impl Reply {
    pub(in crate::handshake) fn new(status: u16, kind: &str, body: impl Into<String>) -> Self {
        let headers = vec![("content-type", kind.to_owned())];
        Self { status, headers, body: body.into(), stays_open: false, silent: false }
    }

    pub(in crate::handshake) fn json(status: u16, body: &Value) -> Self {
        Self::new(status, "application/json", body.to_string())
    }

    pub(in crate::handshake) fn html(status: u16) -> Self {
        Self::new(status, "text/html", "<!doctype html><title>hello</title>")
    }

    pub(in crate::handshake) fn empty(status: u16) -> Self {
        Self { headers: Vec::new(), ..Self::new(status, "", "") }
    }

    /// A JSON-RPC result for what was asked.
    pub(in crate::handshake) fn result(asked: &Asked, result: &Value) -> Self {
        Self::json(200, &json!({"jsonrpc": "2.0", "id": asked.body["id"], "result": result}))
    }

    /// A JSON-RPC error for what was asked.
    pub(in crate::handshake) fn error(status: u16, asked: &Asked, code: i64, message: &str) -> Self {
        let error = json!({"code": code, "message": message});
        Self::json(status, &json!({"jsonrpc": "2.0", "id": asked.body["id"], "error": error}))
    }

    /// The same as an event stream that opens with an empty event and is never closed.
    pub(in crate::handshake) fn streamed(self) -> Self {
        let body = format!("id: 0\nretry: 3000\ndata: \n\nevent: message\ndata: {}\n\n", self.body);
        Self { stays_open: true, ..Self::new(self.status, "text/event-stream", body) }
    }

    pub(in crate::handshake) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    /// No answer, and the connection stays open.
    pub(in crate::handshake) fn silence() -> Self {
        Self { silent: true, ..Self::empty(200) }
    }

    pub(in crate::handshake) fn open(self) -> Self {
        Self { stays_open: true, ..self }
    }
}

/// A peer on a loopback port of its own.
#[derive(Debug)]
pub(in crate::handshake) struct Peer {
    pub(in crate::handshake) origin: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Peer {
    pub(in crate::handshake) async fn start(
        script: impl Fn(&Asked) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (script, seen) = (Arc::new(script), Arc::clone(&asked));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (script, seen) = (Arc::clone(&script), Arc::clone(&seen));
                tokio::spawn(async move { serve(stream, &*script, &seen).await });
            }
        });
        Self { origin, asked }
    }

    /// Everything that was asked so far.
    pub(in crate::handshake) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    pub(in crate::handshake) fn whats(&self) -> Vec<String> {
        self.asked().iter().map(Asked::what).collect()
    }

    pub(in crate::handshake) fn subject(&self, kind: Option<Kind>, path: &str) -> Subject {
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
pub(in crate::handshake) async fn ask(subject: &Subject) -> Verdict {
    ask_within(Duration::from_secs(10), subject).await
}

pub(in crate::handshake) async fn ask_within(limit: Duration, subject: &Subject) -> Verdict {
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

pub(in crate::handshake) fn codes(verdict: &Verdict) -> Vec<&str> {
    verdict.reasons.iter().map(|reason| reason.code.as_str()).collect()
}

async fn serve(
    mut stream: TcpStream,
    script: &(dyn Fn(&Asked) -> Reply + Send + Sync),
    seen: &Mutex<Vec<Asked>>,
) {
    // A preflight opens a connection and says nothing.
    let Some(asked) = read(&mut stream).await else { return };
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

async fn read(stream: &mut TcpStream) -> Option<Asked> {
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
    let mut asked = Asked { verb, path, head, body: Value::Null };
    let length: usize = asked.header("content-length").map_or(0, |text| text.parse().unwrap());
    while bytes.len() < body_at + length {
        let read = stream.read(&mut chunk).await.ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&chunk[..read]);
    }
    asked.body = serde_json::from_slice(&bytes[body_at..]).unwrap_or_default();
    Some(asked)
}
