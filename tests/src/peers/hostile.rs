//! Peers that mean harm, or are broken so that it comes to the same: each hangs, floods or lies in one way.
//! They stand on bare sockets, because no server library does any of this.

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
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::{CARD, agents};

/// Longer than any probe.
const FOR_EVER: Duration = Duration::from_secs(3600);

/// A way in which a peer is hostile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostilePeer {
    /// It takes the connection and says nothing.
    SilentAtOnce,
    /// It ends within the headers.
    SilentInHeaders,
    /// It promises a card and sends half of it.
    SilentInBody,
    /// A byte each tenth of a second, without end.
    Drip,
    /// It closes the connection on every request.
    HangsUp,
    /// It speaks no HTTP.
    Noise,
    /// A body without end.
    Endless,
    /// Ten megabytes of valid JSON.
    Huge,
    /// A hundred thousand arrays, one in the other.
    Deep,
    /// Sixteen megabytes of zeros, compressed to sixteen kilobytes.
    GzipBomb,
    /// A redirect to an address in 10.0.0.0/8.
    RedirectToPrivate,
    /// A redirect to the metadata service of a cloud.
    RedirectToMetadata,
    /// A redirect to itself.
    RedirectLoop,
    /// A card whose interface is the metadata service of a cloud.
    CardToMetadata,
    /// A card whose interface is at 10.0.0.1.
    CardToPrivate,
    /// A sound card whose interface says nothing.
    SilentInterface,
    /// A sound card whose interface answers without end.
    EndlessInterface,
    /// A sound card whose interface answers with a hundred thousand arrays.
    DeepInterface,
}

impl HostilePeer {
    /// All of them.
    pub const ALL: [Self; 18] = [
        Self::SilentAtOnce,
        Self::SilentInHeaders,
        Self::SilentInBody,
        Self::Drip,
        Self::HangsUp,
        Self::Noise,
        Self::Endless,
        Self::Huge,
        Self::Deep,
        Self::GzipBomb,
        Self::RedirectToPrivate,
        Self::RedirectToMetadata,
        Self::RedirectLoop,
        Self::CardToMetadata,
        Self::CardToPrivate,
        Self::SilentInterface,
        Self::EndlessInterface,
        Self::DeepInterface,
    ];

    /// Starts such a peer, which stands until its test ends; gives the URL of its card.
    pub async fn start(self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        match self.router(&origin) {
            Some(router) => {
                tokio::spawn(async move { drop(axum::serve(listener, router).await) });
            }
            None => {
                tokio::spawn(async move {
                    while let Ok((stream, _)) = listener.accept().await {
                        tokio::spawn(self.hold(stream));
                    }
                });
            }
        }
        format!("{origin}{CARD}")
    }

    /// What a server library can do.
    fn router(self, origin: &str) -> Option<Router> {
        let rpc = format!("{origin}/rpc");
        let to = |place: &'static str| Router::new().fallback(async move || Redirect::temporary(place));
        let with_interface = |router: Router| {
            let card = agents::card_at("Charmer", &rpc);
            router.route(CARD, get(async move || axum::Json(card)))
        };
        Some(match self {
            Self::Endless => Router::new().fallback(endless),
            Self::Huge => says(json!({ "name": "x".repeat(10 << 20) }).to_string()),
            Self::Deep => says(deep()),
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
                serves(agents::card_at("Spy", "http://169.254.169.254/latest/meta-data/"))
            }
            Self::CardToPrivate => serves(agents::card_at("Spy", "http://10.0.0.1/rpc")),
            Self::SilentInterface => with_interface(Router::new().route("/rpc", any(silence))),
            Self::EndlessInterface => with_interface(Router::new().route("/rpc", any(endless))),
            Self::DeepInterface => {
                with_interface(Router::new().route("/rpc", any(async || json_stream(Body::from(deep())))))
            }
            _ => return None,
        })
    }

    /// What none can.
    async fn hold(self, mut stream: TcpStream) {
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
            _ => tokio::time::sleep(FOR_EVER).await,
        }
    }
}

fn serves(card: Value) -> Router {
    Router::new().fallback(async move || axum::Json(card))
}

async fn silence() -> Response {
    tokio::time::sleep(FOR_EVER).await;
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

/// What it says is made beforehand: on a busy machine a harmful peer must not become a slow one.
fn says(text: String) -> Router {
    let text = Bytes::from(text);
    Router::new().fallback(async move || json_stream(Body::from(text.clone())))
}

fn json_stream(body: Body) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], body).into_response()
}
