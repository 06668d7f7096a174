//! Protocol version negotiation. It decides whether a request uses the newest revision of MCP (modern era) or an older
//! revision (legacy era). In the modern era, it also checks that the headers match the body (streamable HTTP, "Standard
//! Request Headers"). The order of these checks must not change, because official clients depend on it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::prelude::*;
use registry_model::protocol::{MCP_NEWEST_REVISION, MCP_REVISIONS};
use registry_model::string_enum;

use crate::errors::RpcError;
use crate::json_rpc::Request;

const VERSION_HEADER: &str = "mcp-protocol-version";
const METHOD_HEADER: &str = "mcp-method";
const NAME_HEADER: &str = "mcp-name";

const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";

string_enum! {
    /// A revision with the `initialize` handshake, by its date; the oldest first.
    pub(super) enum Handshake {
        /// Its clients use the transport of the next revision.
        November2024 = "2024-11-05",
        /// The only one with batches.
        March2025 = "2025-03-26",
        /// Structured content and the version header.
        June2025 = "2025-06-18",
        /// Bad arguments are a result with `isError`.
        November2025 = "2025-11-25",
    }
}

impl Handshake {
    /// The revision of a request without a header (MCP 2025-06-18, transports, "Protocol Version Header").
    pub(super) const DEFAULT: Self = Self::March2025;

    /// The answer to an `initialize` for `date`: that revision if it is supported, else the newest with a handshake.
    pub(super) fn agreed(date: &str) -> Self {
        Self::named(date).filter(|_| MCP_REVISIONS.contains(&date)).unwrap_or(Self::November2025)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Era {
    /// Since 2026-07-28: requests are independent of each other.
    Modern,
    /// Revisions with a handshake.
    Legacy(Handshake),
}

impl Era {
    /// Whether bad arguments are a result with `isError`, which a model can correct, or a protocol error.
    pub(super) fn reports_bad_arguments_as_results(self) -> bool {
        match self {
            Self::Modern => true,
            Self::Legacy(revision) => revision >= Handshake::November2025,
        }
    }
}

/// The era of a request, or the first check of that era that fails.
pub(super) fn negotiate_version(headers: &HeaderMap, request: &Request) -> Result<Era, RpcError> {
    let version_header = header(headers, VERSION_HEADER);
    let modern_header = matches!(&version_header, Ok(Some(version)) if version == MCP_NEWEST_REVISION);
    let meta = request.params.get("_meta").and_then(Value::as_object);
    let modern_meta =
        meta.is_some_and(|meta| meta.contains_key(VERSION_KEY) || meta.contains_key(CAPABILITIES_KEY));
    if modern_header && !modern_meta && request.method == "initialize" {
        return Err(RpcError::headers(format!(
            "`initialize` belongs to revisions before {MCP_NEWEST_REVISION}. Send it without the header \
                mcp-protocol-version."
        )));
    }
    if modern_header || modern_meta {
        return check_modern(headers, request).map(|()| Era::Modern);
    }
    match version_header? {
        None => Ok(Era::Legacy(Handshake::DEFAULT)),
        Some(version) => Handshake::named(&version)
            .map(Era::Legacy)
            .ok_or_else(|| RpcError::unsupported_revision(&version)),
    }
}

/// Whether a body may be a batch: only in revision 2025-03-26, which a request without the header implies.
pub(super) fn allows_batches(headers: &HeaderMap) -> bool {
    match header(headers, VERSION_HEADER) {
        Ok(None) => true,
        Ok(Some(version)) => Handshake::named(&version) == Some(Handshake::March2025),
        Err(_) => false,
    }
}

/// Whether a body may be a response: the newest revision has no requests by the server.
pub(super) fn allows_responses(headers: &HeaderMap) -> bool {
    !matches!(header(headers, VERSION_HEADER), Ok(Some(version)) if version == MCP_NEWEST_REVISION)
}

fn check_modern(headers: &HeaderMap, request: &Request) -> Result<(), RpcError> {
    let meta = request.params.get("_meta");
    let version = meta.and_then(|meta| meta[VERSION_KEY].as_str()).ok_or_else(|| {
        RpcError::meta(format!(
            "`params._meta` must contain `{VERSION_KEY}`, a string such as \"{MCP_NEWEST_REVISION}\"."
        ))
    })?;
    if !meta.is_some_and(|meta| meta[CAPABILITIES_KEY].is_object()) {
        return Err(RpcError::meta(format!(
            "`params._meta` must contain `{CAPABILITIES_KEY}`, an object (`{{}}` is enough)."
        )));
    }
    check_mirrored(headers, VERSION_HEADER, version)?;
    if version != MCP_NEWEST_REVISION {
        return Err(RpcError::unsupported_revision(version));
    }
    check_mirrored(headers, METHOD_HEADER, &request.method)?;
    let name = match request.method.as_str() {
        "tools/call" | "prompts/get" => request.params.get("name"),
        "resources/read" => request.params.get("uri"),
        _ => None,
    };
    name.and_then(Value::as_str).map_or(Ok(()), |name| check_mirrored(headers, NAME_HEADER, name))
}

fn check_mirrored(headers: &HeaderMap, name: &'static str, body: &str) -> Result<(), RpcError> {
    match header(headers, name)? {
        Some(value) if value == body => Ok(()),
        Some(value) => Err(RpcError::headers(format!(
            "Header mismatch: {name} is `{}`, but the body has `{}`.",
            shorten(&value, 120),
            shorten(body, 120)
        ))),
        None => Err(RpcError::headers(format!(
            "Header mismatch: {name} is missing; it must be `{}`, as in the body.",
            shorten(body, 120)
        ))),
    }
}

/// The value of a header. Clients send values that are not plain ASCII as `=?base64?…?=`.
fn header(headers: &HeaderMap, name: &'static str) -> Result<Option<String>, RpcError> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(RpcError::headers(format!("Header mismatch: {name} occurs more than once.")));
    }
    let undecodable = || RpcError::headers(format!("Header mismatch: {name} cannot be decoded."));
    let value = value.to_str().map_err(|_| undecodable())?;
    let Some(encoded) = value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) else {
        return Ok(Some(value.to_owned()));
    };
    let bytes = STANDARD.decode(encoded).map_err(|_| undecodable())?;
    String::from_utf8(bytes).map(Some).map_err(|_| undecodable())
}

/// The older revisions expect 200 for an unknown method.
pub(super) fn with_status_of_era(era: Era, error: RpcError) -> RpcError {
    let is_unknown = matches!(era, Era::Legacy(_)) && error.status == StatusCode::NOT_FOUND;
    if is_unknown { error.with_status(StatusCode::OK) } else { error }
}

#[cfg(test)]
mod tests;
