//! The owner of a domain, and the site that serves the owner's key.

use std::sync::{Arc, Mutex};

use axum::response::IntoResponse as _;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::{Value, json};

use super::{Peer, empty, locked};
use crate::test_registry::{Reply, TestRegistry};

/// The owner of a domain, with a signing key.
#[derive(Debug)]
pub struct Owner {
    key: Ed25519KeyPair,
}

impl Owner {
    /// Another owner for each seed.
    pub fn new(seed: u8) -> Self {
        Self { key: Ed25519KeyPair::from_seed_unchecked(&[seed; 32]).unwrap() }
    }

    pub fn jwk(&self) -> Value {
        json!({ "kty": "OKP", "crv": "Ed25519", "x": URL_SAFE_NO_PAD.encode(self.key.public_key()) })
    }

    pub fn record(&self) -> String {
        format!("v=MCPv1; k=ed25519; p={}", STANDARD.encode(self.key.public_key()))
    }

    /// Requests a challenge for a call; returns the call with the signed challenge. The signature is in hexadecimal.
    pub async fn with_signature(&self, registry: &TestRegistry, tool: &str, arguments: &Value) -> Value {
        let answer = registry.call_tool(tool, arguments).await;
        let challenge = &answer["challenge"];
        assert!(challenge["text"].is_string(), "{answer}");
        let signature = self.key.sign(challenge["text"].as_str().unwrap().as_bytes());
        let signature: String = signature.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        let mut signed = arguments.clone();
        signed["nonce"] = challenge["nonce"].clone();
        signed["signature"] = json!(signature);
        signed
    }

    /// The signed challenge for publishing a document. The signature is in base64.
    pub async fn proof(&self, registry: &TestRegistry, document: &Value) -> Value {
        let challenge = publish(registry, document, json!({})).await;
        challenge.assert_refused(403, "challenge_to_sign");
        let challenge = &challenge.body["challenge"];
        let signature = self.key.sign(challenge["text"].as_str().unwrap().as_bytes());
        json!({ "nonce": challenge["nonce"], "signature": STANDARD.encode(signature) })
    }

    /// Publishes a document with a proof.
    pub async fn publish(&self, registry: &TestRegistry, document: &Value) -> Reply {
        publish(registry, document, self.proof(registry, document).await).await
    }
}

/// Publishes a document with this proof.
pub async fn publish(registry: &TestRegistry, document: &Value, proof: Value) -> Reply {
    registry.post("/api/publish", &json!({ "server_json": document, "proof": proof })).await
}

/// A peer that serves one text, which can be replaced.
#[derive(Debug)]
pub struct TextSite {
    pub peer: Peer,
    served: Arc<Mutex<Result<String, u16>>>,
}

impl TextSite {
    /// Serves the text at this path.
    pub async fn start(path: impl Into<String>, text: impl Into<String>) -> Self {
        let (path, served) = (path.into(), Arc::new(Mutex::new(Ok(text.into()))));
        let now = Arc::clone(&served);
        let peer = Peer::start(move |request| match &*locked(&now) {
            _ if request.path != path => empty(404),
            Ok(text) => text.clone().into_response(),
            Err(status) => empty(*status),
        })
        .await;
        Self { peer, served }
    }

    /// Serves the key of the owner of a domain. [`crate::test_registry::TestOptions::with_domain_proofs`] reads it.
    pub async fn with_key(domain: &str, owner: &Owner) -> Self {
        Self::start(format!("/{domain}/auth"), owner.record() + "\n").await
    }

    pub fn serve(&self, text: impl Into<String>) {
        *locked(&self.served) = Ok(text.into());
    }

    /// Answers with an error from now on.
    pub fn fail(&self, status: u16) {
        *locked(&self.served) = Err(status);
    }
}
