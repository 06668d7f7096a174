//! Signs requests (RFC 9421), so that a server can check who sent them. The fetcher knows no key: whoever makes the fetcher
//! passes the signer in.

use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;
use http::HeaderMap;

type Sign = dyn Fn(Signed) -> BoxFuture<'static, HeaderMap> + Send + Sync;

/// What a signature covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    /// The host, and the port if it is not the default port (RFC 9421 §2.2.3).
    pub authority: String,
    /// The header `Content-Digest` (RFC 9530), if the request has one.
    pub content_digest: Option<String>,
}

/// Makes the headers that sign a request to an authority. It returns no headers if it cannot sign; the request is then sent
/// without a signature.
#[derive(Clone)]
pub struct Signer(Arc<Sign>);

impl Signer {
    pub fn new(sign: impl Fn(Signed) -> BoxFuture<'static, HeaderMap> + Send + Sync + 'static) -> Self {
        Self(Arc::new(sign))
    }

    pub(super) async fn headers(&self, signed: Signed) -> HeaderMap {
        (self.0)(signed).await
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Signer")
    }
}
