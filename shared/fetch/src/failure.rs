//! Why a fetch gave no answer, as a code from a fixed vocabulary that is safe to publish. Error texts of the HTTP
//! client, of TLS, and of the system are not published, because they contain addresses and internal details.

use std::error::Error;
use std::io;
use std::time::Duration;

use super::target::TargetError;

/// Why there was no answer. The messages say what the owner of the server can do, and contain no address of ours.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// A rule of `specification.md#guarded-fetcher`.
    #[error(transparent)]
    Blocked(#[from] TargetError),
    #[error("The URL leads to this registry itself. Give the URL of your own server.")]
    OwnHost,
    /// The target of a redirect to another origin did not answer.
    #[error("After a redirect to {origin}: {error}")]
    AfterRedirect { origin: String, error: Box<Self> },
    #[error("The host name was not found in the DNS. Check its spelling and its A or AAAA records.")]
    NameNotFound,
    #[error("The DNS gave no answer for the host name. Check its name servers, or try again later.")]
    NameUnresolved,
    #[error("Nothing accepts connections at this host and port. Start the server, or open the port.")]
    Refused,
    #[error(transparent)]
    Tls(TlsFailure),
    #[error("No complete answer arrived within {} ms. Answer faster, and end the response.", after.as_millis())]
    Timeout { after: Duration },
    #[error("The answer is longer than {limit} bytes. Serve a shorter document.")]
    TooLarge { limit: usize },
    #[error("Too many redirects. Answer at this URL directly.")]
    TooManyRedirects,
    /// No location, from https to http, or to another origin where that is not allowed.
    #[error("The redirect cannot be followed. Use an absolute https URL, for an endpoint at its own origin.")]
    BadRedirect,
    #[error(
        "The connection broke before a complete HTTP answer came. Check that the server at this port speaks \
         HTTP/1.1 and ends its answers."
    )]
    Broken,
    #[error("The body could not be decompressed. Send it uncompressed, or with a valid gzip encoding.")]
    BadEncoding,
}

impl FetchError {
    pub fn code(&self) -> &'static str {
        match self {
            Self::AfterRedirect { error, .. } => error.code(),
            Self::Blocked(_) => "blocked_address",
            Self::OwnHost => "own_host",
            Self::NameNotFound => "dns_nxdomain",
            Self::NameUnresolved => "dns_failure",
            Self::Refused => "conn_refused",
            Self::Tls(_) => "tls_error",
            Self::Timeout { .. } => "timeout",
            Self::TooLarge { .. } => "too_large",
            Self::TooManyRedirects => "too_many_redirects",
            Self::BadRedirect => "bad_redirect",
            Self::Broken => "connection_broken",
            Self::BadEncoding => "bad_encoding",
        }
    }

    pub(super) fn of_client(error: &reqwest::Error, secure: bool) -> Self {
        // A refusal of our own resolver comes back as a cause.
        if let Some(own) = causes(error).find_map(|cause| cause.downcast_ref::<Self>()) {
            return own.clone();
        }
        if !error.is_connect() {
            return Self::Broken;
        }
        let Some(cause) = causes(error).find_map(|cause| cause.downcast_ref::<io::Error>()) else {
            return if secure { Self::Tls(TlsFailure::Other) } else { Self::Broken };
        };
        if let Some(failure) = TlsFailure::within(cause) {
            return Self::Tls(failure);
        }
        // An error of the system concerns the connection, except that many servers refuse TLS by a reset.
        let of_tls = cause.raw_os_error().is_none() || cause.kind() == io::ErrorKind::ConnectionReset;
        match Self::of_connect(cause) {
            Self::Broken if secure && of_tls => Self::Tls(TlsFailure::Other),
            other => other,
        }
    }

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

    /// The client reports every failure while it reads a body as a decoding error. Only the decoder's own errors
    /// have an `io::Error` as their nearest cause; the others wrap a connection error. One decoder error has no
    /// type and is recognized by its text.
    pub(super) fn of_body(error: &reqwest::Error) -> Self {
        const TRAILING_BYTES: &str = "there are extra bytes after body has been decompressed";
        match causes(error).next() {
            Some(cause) if cause.is::<io::Error>() || cause.to_string() == TRAILING_BYTES => {
                Self::BadEncoding
            }
            _ => Self::Broken,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TlsFailure {
    #[error("The certificate has expired. Renew it, and let the server load the new one.")]
    Expired,
    #[error("The certificate is for another host name. Serve one that names this host.")]
    WrongName,
    #[error(
        "No public authority vouches for the certificate: it is self-signed, or the server does not send its \
         full chain."
    )]
    UnknownIssuer,
    #[error("The port answers in plain text and not in TLS.")]
    PlainText,
    #[error(
        "The TLS handshake failed. Serve a certificate for this host name from a public authority, with the \
         full certificate chain, over TLS 1.2 or 1.3."
    )]
    Other,
}

impl TlsFailure {
    /// The client wraps the error of TLS in errors of the system, one in the other.
    fn within(error: &io::Error) -> Option<Self> {
        let inner = error.get_ref()?;
        let nested = || inner.downcast_ref::<io::Error>().and_then(Self::within);
        inner.downcast_ref().map(Self::of).or_else(nested)
    }

    fn of(error: &rustls::Error) -> Self {
        use rustls::CertificateError as Certificate;
        match error {
            rustls::Error::InvalidCertificate(Certificate::Expired | Certificate::ExpiredContext { .. }) => {
                Self::Expired
            }
            rustls::Error::InvalidCertificate(
                Certificate::NotValidForName | Certificate::NotValidForNameContext { .. },
            ) => Self::WrongName,
            // An authority's certificate that serves a host itself is self-signed.
            rustls::Error::InvalidCertificate(Certificate::UnknownIssuer | Certificate::Other(_)) => {
                Self::UnknownIssuer
            }
            rustls::Error::InvalidMessage(_) => Self::PlainText,
            _ => Self::Other,
        }
    }
}

fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    std::iter::successors(error.source(), |cause| (*cause).source())
}
