//! The flaws of a sign-in that prevent an official client from getting a token (MCP 2026-07-28, basic/authorization; RFC
//! 9728; RFC 8414). Each has its code and its fix.

/// A part of the sign-in that is missing or wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignInFlaw {
    NoChallenge,
    Scheme,
    Status403,
    MetadataMissing,
    MetadataNotJson,
    Resource,
    NoServers,
    Redirected,
    ServerUnreached,
    ServerMetadataMissing,
    Issuer,
    NoAuthorizationEndpoint,
    NoTokenEndpoint,
    PlainHttp,
    NoS256,
    /// Only a hint: clients that were registered by hand can sign in.
    NoRegistration,
}

impl SignInFlaw {
    pub const ALL: [Self; 16] = [
        Self::NoChallenge,
        Self::Scheme,
        Self::Status403,
        Self::MetadataMissing,
        Self::MetadataNotJson,
        Self::Resource,
        Self::NoServers,
        Self::Redirected,
        Self::ServerUnreached,
        Self::ServerMetadataMissing,
        Self::Issuer,
        Self::NoAuthorizationEndpoint,
        Self::NoTokenEndpoint,
        Self::PlainHttp,
        Self::NoS256,
        Self::NoRegistration,
    ];
}

/// The end of the code, and the fix.
pub(super) const fn flaw_row(flaw: SignInFlaw) -> (&'static str, &'static str) {
    match flaw {
        SignInFlaw::NoChallenge => (
            "no_challenge",
            "Answer 401 with the header WWW-Authenticate: Bearer resource_metadata=\"…\", which contains the URL of the \
             protected-resource metadata.",
        ),
        SignInFlaw::Scheme => {
            ("scheme", "Use the scheme Bearer in WWW-Authenticate. MCP clients know no other scheme.")
        }
        SignInFlaw::Status403 => (
            "status_403",
            "Answer a request without a token with 401, not with 403. Clients start the sign-in only after a 401; 403 is \
             for a token without the needed scope.",
        ),
        SignInFlaw::MetadataMissing => (
            "metadata_missing",
            "Serve the protected-resource metadata (RFC 9728) at the URL in resource_metadata of the challenge. Without \
             this parameter, serve it at /.well-known/oauth-protected-resource, followed by the path of the endpoint.",
        ),
        SignInFlaw::MetadataNotJson => (
            "metadata_not_json",
            "Serve the protected-resource metadata as a JSON object, with resource and authorization_servers. A page that \
             answers every path often takes its place.",
        ),
        SignInFlaw::Resource => (
            "resource",
            "Set resource in the protected-resource metadata to the URL of the MCP endpoint, or to a parent of it on the \
             same origin. Check the public host name behind a proxy.",
        ),
        SignInFlaw::NoServers => (
            "no_authorization_servers",
            "List the issuer of the authorization server in authorization_servers of the protected-resource metadata.",
        ),
        SignInFlaw::Redirected => (
            "redirected",
            "Serve all metadata where it is announced: the protected-resource metadata on the domain of the endpoint, that \
             of the authorization server at its issuer. The registry follows one redirect, and only within an origin.",
        ),
        SignInFlaw::ServerUnreached => (
            "authorization_server_unreached",
            "The first entry of authorization_servers must be the https URL of an authorization server that is reachable \
             from the internet. Replace internal names and start the server.",
        ),
        SignInFlaw::ServerMetadataMissing => (
            "authorization_server_metadata",
            "Serve the metadata of the authorization server as JSON at its issuer: at \
             /.well-known/oauth-authorization-server (RFC 8414) or at /.well-known/openid-configuration. If the issuer has \
             a path, add the path at the end.",
        ),
        SignInFlaw::Issuer => (
            "issuer",
            "Make issuer in the metadata of the authorization server equal to the entry in authorization_servers, letter \
             by letter. Clients refuse other metadata.",
        ),
        SignInFlaw::NoAuthorizationEndpoint => (
            "no_authorization_endpoint",
            "Add authorization_endpoint to the metadata of the authorization server.",
        ),
        SignInFlaw::NoTokenEndpoint => {
            ("no_token_endpoint", "Add token_endpoint to the metadata of the authorization server.")
        }
        SignInFlaw::PlainHttp => (
            "not_https",
            "Use an absolute https URL for the issuer and for each endpoint of the authorization server.",
        ),
        SignInFlaw::NoS256 => (
            "no_s256",
            "Support PKCE, and list S256 in code_challenge_methods_supported of the metadata of the authorization server. \
             Clients stop if it is missing.",
        ),
        SignInFlaw::NoRegistration => (
            "no_registration",
            "Support client id metadata documents (client_id_metadata_document_supported), or add registration_endpoint \
             (RFC 7591). Otherwise a user must register each client by hand.",
        ),
    }
}
