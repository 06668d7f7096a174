//! Why the HTTP API cannot be built from the template. Building fails at the start rather than at the first request,
//! so that a template which names an unknown function is never served in part.

/// Why the gateway cannot be built from the template.
#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    /// The template routes to a function that this binary does not hold.
    #[error("the template routes {route} to function `{function}`, which is not part of this binary")]
    UnknownFunction {
        /// The route as the template has it.
        route: String,
        /// The function's crate.
        function: String,
    },
    /// An entry of the CORS configuration is not a valid origin, method or header.
    #[error("the template's CorsConfiguration cannot be used: {0:?}")]
    Cors(String),
}
