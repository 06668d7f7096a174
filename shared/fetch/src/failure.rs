//! Why a fetch gave no answer, in a fixed vocabulary that is safe to publish.
//! The texts of the HTTP client, of TLS and of the system stay behind: they name addresses and internals.

use std::error::Error;
use std::io;
use std::time::Duration;

use super::target::TargetError;

/// Why no answer came. The text names no address, and says what the owner of the server can do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// The target, a redirect or a name's address breaks a rule of design §5 SSRF.
    #[error(transparent)]
    Blocked(#[from] TargetError),
    /// The target is this registry.
    #[error("The URL leads to this registry itself. Give the URL of your own server.")]
    OwnHost,
    /// The name has no address in the DNS.
    #[error("The host name was not found in the DNS. Check its spelling and its A or AAAA records.")]
    NameNotFound,
    /// The DNS gave no usable answer; this says little of the name itself.
    #[error("The DNS gave no answer for the host name. Check its name servers, or try again later.")]
    NameUnresolved,
    /// Nothing accepts connections there.
    #[error("Nothing accepts connections at this host and port. Start the server, or open the port.")]
    Refused,
    /// No TLS connection with a trusted certificate came about.
    #[error(
        "The TLS handshake failed. Serve a valid certificate of a public authority for this host name, with its chain."
    )]
    Tls,
    /// The whole answer was not there in time.
    #[error("No complete answer came within {} ms. Answer faster, and end the answer.", after.as_millis())]
    Timeout {
        /// How long the fetcher waited, from the first DNS question on.
        after: Duration,
    },
    /// The decompressed body is too long.
    #[error("The answer is longer than {limit} bytes. Serve a shorter document.")]
    TooLarge {
        /// How many bytes are read at most.
        limit: usize,
    },
    /// The redirects did not end.
    #[error("There are too many redirects. Answer at this URL, or with one redirect to the final one.")]
    TooManyRedirects,
    /// A redirect that may not be followed: nowhere, from https to http, or to another origin.
    #[error(
        "The redirect cannot be followed. Redirect over https to an absolute URL; a protocol endpoint only within its origin."
    )]
    BadRedirect,
    /// The connection broke, or what came over it was not HTTP.
    #[error(
        "The connection broke before a complete HTTP answer came. Check that the port speaks HTTP/1.1 and ends its answers."
    )]
    Broken,
    /// The body is not in the encoding that its header claims, or in one that was not asked for.
    #[error("The body could not be decompressed. Send it as it is, or with a sound gzip encoding.")]
    BadEncoding,
}

impl FetchError {
    /// The stable `snake_case` word for it.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Blocked(_) => "blocked_address",
            Self::OwnHost => "own_host",
            Self::NameNotFound => "dns_nxdomain",
            Self::NameUnresolved => "dns_failure",
            Self::Refused => "conn_refused",
            Self::Tls => "tls_error",
            Self::Timeout { .. } => "timeout",
            Self::TooLarge { .. } => "too_large",
            Self::TooManyRedirects => "too_many_redirects",
            Self::BadRedirect => "bad_redirect",
            Self::Broken => "connection_broken",
            Self::BadEncoding => "bad_encoding",
        }
    }

    /// What an error of the HTTP client amounts to. `secure` tells whether TLS was to be spoken.
    pub(super) fn of_client(error: &reqwest::Error, secure: bool) -> Self {
        // A refusal of our own resolver comes back as a cause.
        if let Some(own) = causes(error).find_map(|cause| cause.downcast_ref::<Self>()) {
            return own.clone();
        }
        if !error.is_connect() {
            return Self::Broken;
        }
        let Some(cause) = causes(error).find_map(|cause| cause.downcast_ref::<io::Error>()) else {
            return if secure { Self::Tls } else { Self::Broken };
        };
        // What the system reports is a matter of the connection, except that many servers refuse TLS by a reset.
        let of_tls = cause.raw_os_error().is_none() || cause.kind() == io::ErrorKind::ConnectionReset;
        match Self::of_connect(cause) {
            Self::Broken if secure && of_tls => Self::Tls,
            other => other,
        }
    }

    /// What a failed TCP connection amounts to.
    pub(super) fn of_connect(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::ConnectionRefused
            | io::ErrorKind::HostUnreachable
            | io::ErrorKind::NetworkUnreachable
            | io::ErrorKind::TimedOut
            | io::ErrorKind::AddrNotAvailable => Self::Refused,
            _ => Self::Broken,
        }
    }

    /// What an error while reading a body amounts to. The client calls each of them a failed decoding; only of the
    /// decoder's own errors is the nearest cause an `io::Error`, all others lie behind an error of the connection. One
    /// of the decoder's has no type and is known by its words alone.
    pub(super) fn of_body(error: &reqwest::Error) -> Self {
        const GOES_ON_BEHIND_ITS_END: &str = "there are extra bytes after body has been decompressed";
        match causes(error).next() {
            Some(cause) if cause.is::<io::Error>() || cause.to_string() == GOES_ON_BEHIND_ITS_END => {
                Self::BadEncoding
            }
            _ => Self::Broken,
        }
    }
}

/// The causes behind an error, nearest first.
fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    std::iter::successors(error.source(), |cause| (*cause).source())
}
