//! The proof that a publisher sends with a server description.

use crate::prelude::*;
use crate::trust::ownership::SignedChallenge;
use registry_model::Secret;

/// A proof that you own the name in a server description, or the host of its endpoint. With a key of the name's domain,
/// the name is shown as proven, and you may change a listing that is on this domain or was published under this name.
/// With a key of the host, you may change the description. Send an empty object first. The answer contains a challenge,
/// and the places where the domain can publish your key. Sign the challenge. Then send the same request with `nonce`
/// and `signature`. If this registry reads it, the server.json in the owner's repository also proves names below `io.github`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(extend("anyOf" = argument_schema::together(&["nonce", "signature"])))]
pub struct ProofRequest {
    /// The nonce of the challenge that you signed. Send it together with `signature`.
    pub nonce: Option<String>,
    /// The signature of the challenge's text, in hexadecimal or base64.
    #[schemars(extend("format" = "signature"))]
    pub signature: Option<String>,
    /// A token of GitHub Actions. It goes first.
    pub token: Option<String>,
}

#[derive(Clone, Debug)]
pub enum OfferedProof {
    /// `None`: the publisher asks for a challenge.
    Signature(Option<SignedChallenge>),
    /// A token of GitHub Actions.
    Workflow(Secret),
}

impl OfferedProof {
    pub(super) fn parse(request: &ProofRequest) -> Result<Self, Problem> {
        let Some(token) = &request.token else {
            let signed = SignedChallenge::parse(request.nonce.as_deref(), request.signature.as_deref(), None);
            return signed.map(Self::Signature).map_err(in_proof);
        };
        Ok(Self::Workflow(Secret::new(token.trim().to_owned())))
    }
}

/// The same problem, with the path of its field in the request.
pub(super) fn in_proof(mut problem: Problem) -> Problem {
    problem.field = problem.field.map(|field| format!("proof.{field}"));
    problem
}
