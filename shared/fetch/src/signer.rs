//! Signs requests (RFC 9421), so that a server can check who sent them. The creator of a fetcher passes the signer in.

use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;
use http::HeaderMap;

type Sign = dyn Fn(String) -> BoxFuture<'static, HeaderMap> + Send + Sync;

/// Makes the headers that sign a request to an authority. Without headers, the request is sent without a signature.
#[derive(Clone)]
pub struct Signer(Arc<Sign>);

impl Signer {
    /// `sign` receives the authority of each request: the host, and the port if it is not the default port (RFC 9421
    /// §2.2.3).
    pub fn new(sign: impl Fn(String) -> BoxFuture<'static, HeaderMap> + Send + Sync + 'static) -> Self {
        Self(Arc::new(sign))
    }

    pub(super) async fn headers(&self, authority: String) -> HeaderMap {
        (self.0)(authority).await
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Signer")
    }
}
