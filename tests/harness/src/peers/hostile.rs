//! Hostile or broken peers. Each peer does one thing wrong: it never answers, sends too much, or sends false
//! data. Some use plain sockets, because no server library can do this.

use std::io::Write as _;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{any, get};
use flate2::Compression;
use flate2::write::GzEncoder;
use futures::stream;
use http::header;
use registry::model::string_enum;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::{CARD, agents};
use crate::ports;

const LONGER_THAN_PROBES: Duration = Duration::from_secs(3600);

string_enum! {
    /// A way in which a peer is hostile.
    pub enum HostilePeer {
        /// Accepts the connection and sends nothing.
        SilentAtOnce = "silent_at_once",
        /// Stops in the headers.
        SilentInHeaders = "silent_in_headers",
        /// Sends half of a card.
        SilentInBody = "silent_in_body",
        /// One byte every 100 ms, without end.
        Drip = "drip",
        /// Closes the connection on every request.
        HangsUp = "hangs_up",
        /// Sends no HTTP.
        Noise = "noise",
        /// A body without end.
        Endless = "endless",
        /// Ten megabytes of valid JSON.
        Huge = "huge",
        /// 100,000 nested arrays.
        Deep = "deep",
        /// Sixteen megabytes of zeros, compressed to sixteen kilobytes.
        GzipBomb = "gzip_bomb",
        /// A redirect to an address in 10.0.0.0/8.
        RedirectToPrivate = "redirect_to_private",
        /// A redirect to the metadata service of a cloud.
        RedirectToMetadata = "redirect_to_metadata",
        /// A redirect to itself.
        RedirectLoop = "redirect_loop",
        /// A card whose interface is the metadata service of a cloud.
        CardToMetadata = "card_to_metadata",
        /// A card whose interface is at 10.0.0.1.
        CardToPrivate = "card_to_private",
        /// A sound card whose interface sends nothing.
        SilentInterface = "silent_interface",
        /// A sound card whose interface sends an endless body.
        EndlessInterface = "endless_interface",
        /// A sound card whose interface sends 100,000 nested arrays.
        DeepInterface = "deep_interface",
    }
}

impl HostilePeer {
    /// Starts such a peer, which runs until its test ends; returns the URL of its card.
    pub async fn start(self) -> String {
        let listener = ports::listen("127.0.0.1").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        match self.router(&origin) {
            Some(router) => {
                tokio::spawn(async move { drop(axum::serve(listener, router).await) });
            }
            None => {
                tokio::spawn(async move {
                    while let Ok((stream, _)) = listener.accept().await {
                        tokio::spawn(self.misbehave(stream));
                    }
                });
            }
        }
        format!("{origin}{CARD}")
    }

    /// The peers that a server library can implement.
    fn router(self, origin: &str) -> Option<Router> {
        let rpc = format!("{origin}/rpc");
        let to = |place: &'static str| Router::new().fallback(async move || Redirect::temporary(place));
        let with_interface = |router: Router| {
            let card = agents::card_at("Charmer", &rpc);
            router.route(CARD, get(async move || axum::Json(card)))
        };
        Some(match self {
            Self::Endless => Router::new().fallback(endless),
            Self::Huge => serves_text(json!({ "name": "x".repeat(10 << 20) }).to_string()),
            Self::Deep => serves_text(deep()),
            Self::GzipBomb => {
                let bomb = gzip_bomb();
                Router::new().fallback(async move || {
                    ([(header::CONTENT_ENCODING, "gzip")], json_stream(Body::from(bomb.clone())))
                })
            }
            Self::RedirectToPrivate => to("http://10.0.0.1/.well-known/agent-card.json"),
            Self::RedirectToMetadata => to("http://169.254.169.254/latest/meta-data/"),
            Self::RedirectLoop => to(CARD),
            Self::CardToMetadata => {
                serves_card(agents::card_at("Spy", "http://169.254.169.254/latest/meta-data/"))
            }
            Self::CardToPrivate => serves_card(agents::card_at("Spy", "http://10.0.0.1/rpc")),
            Self::SilentInterface => with_interface(Router::new().route("/rpc", any(silence))),
            Self::EndlessInterface => with_interface(Router::new().route("/rpc", any(endless))),
            Self::DeepInterface => {
                with_interface(Router::new().route("/rpc", any(async || json_stream(Body::from(deep())))))
            }
            _ => return None,
        })
    }

    /// The other peers.
    async fn misbehave(self, mut stream: TcpStream) {
        let mut head = [0; 4096];
        let _read = stream.read(&mut head).await;
        let send = match self {
            Self::SilentInHeaders => "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-half: ",
            Self::SilentInBody => "HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{\"name\": \"Half",
            Self::Drip => "HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n{\"name\": \"",
            Self::Noise => "SSH-2.0-OpenSSH_9.9\r\n",
            _ => "",
        };
        let _sent = stream.write_all(send.as_bytes()).await;
        match self {
            Self::HangsUp => {}
            Self::Drip => {
                while stream.write_all(b"x").await.is_ok() {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
            _ => tokio::time::sleep(LONGER_THAN_PROBES).await,
        }
    }
}

fn serves_card(card: Value) -> Router {
    Router::new().fallback(async move || axum::Json(card))
}

async fn silence() -> Response {
    tokio::time::sleep(LONGER_THAN_PROBES).await;
    Response::new(Body::empty())
}

async fn endless() -> Response {
    let spaces = stream::repeat_with(|| Ok::<_, std::io::Error>(Bytes::from_static(&[b' '; 16 * 1024])));
    json_stream(Body::from_stream(spaces))
}

fn gzip_bomb() -> Bytes {
    let mut zeros = GzEncoder::new(Vec::new(), Compression::default());
    for _ in 0..256 {
        zeros.write_all(&[b'0'; 64 * 1024]).unwrap();
    }
    zeros.finish().unwrap().into()
}

fn deep() -> String {
    "[".repeat(100_000)
}

/// Serves a body that is built once, so that a large body is not slow on a busy machine.
fn serves_text(text: String) -> Router {
    let text = Bytes::from(text);
    Router::new().fallback(async move || json_stream(Body::from(text.clone())))
}

fn json_stream(body: Body) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], body).into_response()
}
