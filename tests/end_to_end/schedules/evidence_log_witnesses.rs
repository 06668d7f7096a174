//! Tests cosignatures (C2SP `tlog-witness`): a witness cosigns only a growing log, and a failing one does not delay it.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use http::StatusCode;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use signed_note::{Note, Signature, StandardVerifier, Verifier, VerifierList};
use tests::prelude::*;
use tlog_tiles::{Checkpoint, Hash, check_tree};

use super::evidence_log::{checkpoint, verified_proof};

/// The time in all cosignatures.
const COSIGNED_AT: u64 = 1_795_176_000;

/// What a witness remembers of one log.
#[derive(Default)]
struct Memory {
    trusted: Vec<String>,
    size: u64,
    root: Option<Hash>,
    is_silent: bool,
}

/// A witness on loopback that follows the specification.
struct Witness {
    peer: Peer,
    name: String,
    key: Arc<Ed25519KeyPair>,
    memory: Arc<Mutex<Memory>>,
}

fn key_id(name: &str, key: &Ed25519KeyPair) -> u32 {
    signed_note::key_id(name, &[&[4], key.public_key().as_ref()].concat())
}

impl Witness {
    async fn start(name: &str, seed: u8) -> Self {
        let key = Arc::new(Ed25519KeyPair::from_seed_unchecked(&[seed; 32]).unwrap());
        let memory = Arc::new(Mutex::new(Memory::default()));
        let (own_name, own_key, own_memory) = (name.to_owned(), Arc::clone(&key), Arc::clone(&memory));
        let peer = Peer::start(move |request| {
            let mut memory = own_memory.lock().unwrap();
            if memory.is_silent {
                let never = futures::stream::pending::<Result<bytes::Bytes, std::io::Error>>();
                return Body::from_stream(never).into_response();
            }
            match add_checkpoint(&mut memory, request) {
                Ok(note) => {
                    let signed = format!("cosignature/v1\ntime {COSIGNED_AT}\n{note}");
                    let signature = own_key.sign(signed.as_bytes());
                    let bytes = [&COSIGNED_AT.to_be_bytes()[..], signature.as_ref()].concat();
                    let line = Signature::new(own_name.clone(), key_id(&own_name, &own_key), bytes).unwrap();
                    line.to_bytes().into_response()
                }
                Err(response) => *response,
            }
        });
        Self { peer: peer.await, name: name.to_owned(), key, memory }
    }

    fn with<T>(&self, act: impl FnOnce(&mut Memory) -> T) -> T {
        act(&mut self.memory.lock().unwrap())
    }

    fn vkey(&self) -> String {
        let key = [&[4], self.key.public_key().as_ref()].concat();
        format!("{}+{:08x}+{}", self.name, key_id(&self.name, &self.key), BASE64.encode(key))
    }

    fn setting(&self) -> String {
        format!("{} {}/prefix", self.vkey(), self.peer.origin)
    }

    /// Verifies its cosignature in a checkpoint; `None` if there is none.
    fn cosigned_size(&self, checkpoint: &str) -> Option<u64> {
        let note = Note::from_bytes(checkpoint.as_bytes()).unwrap();
        let lines = checkpoint.lines().filter_map(|line| Signature::from_bytes(line.as_bytes()).ok());
        let line = lines.into_iter().find(|line| line.name() == self.name)?;
        assert_eq!(line.id(), key_id(&self.name, &self.key));
        let (time, signature) = line.signature().split_at(8);
        assert_eq!(time, COSIGNED_AT.to_be_bytes());
        let text = std::str::from_utf8(note.text()).unwrap();
        let signed = format!("cosignature/v1\ntime {COSIGNED_AT}\n{text}");
        let key = UnparsedPublicKey::new(&ED25519, self.key.public_key().as_ref());
        key.verify(signed.as_bytes(), signature).unwrap();
        Some(Checkpoint::from_bytes(note.text()).unwrap().size())
    }
}

/// The text of the cosigned checkpoint, or the refusal.
fn add_checkpoint(memory: &mut Memory, request: &PeerRequest) -> Result<String, Box<Response>> {
    let refused = |status: u16| Err(Box::new(empty(status)));
    if (request.verb.as_str(), request.path.as_str()) != ("POST", "/prefix/add-checkpoint") {
        return refused(404);
    }
    let Some((head, checkpoint)) = request.text.split_once("\n\n") else { return refused(400) };
    let mut head = head.lines();
    let old = head.next().and_then(|line| line.strip_prefix("old ")?.parse::<u64>().ok());
    let proof: Option<Vec<Hash>> = head.map(|line| Hash::parse_hash(line).ok()).collect();
    let (Some(old), Some(proof), Ok(note)) = (old, proof, Note::from_bytes(checkpoint.as_bytes())) else {
        return refused(400);
    };
    let tree = Checkpoint::from_bytes(note.text()).unwrap();
    if memory.trusted.is_empty() {
        return refused(404);
    }
    let verifier = |vkey: &String| -> Box<dyn Verifier> { Box::new(StandardVerifier::new(vkey).unwrap()) };
    if note.verify(&VerifierList::new(memory.trusted.iter().map(verifier).collect())).is_err() {
        return refused(403);
    }
    if old > tree.size() || (old == 0 && !proof.is_empty()) {
        return refused(400);
    }
    if old != memory.size {
        let size = format!("{}\n", memory.size);
        let response = (StatusCode::CONFLICT, [("content-type", "text/x.tlog.size")], size).into_response();
        return Err(Box::new(response));
    }
    if let Some(root) = memory.root.filter(|_| old > 0) {
        let is_consistent = if old == tree.size() {
            root == *tree.hash()
        } else {
            check_tree(&proof, tree.size(), *tree.hash(), old, root).is_ok()
        };
        if !is_consistent {
            return refused(422);
        }
    }
    (memory.size, memory.root) = (tree.size(), Some(*tree.hash()));
    Ok(String::from_utf8(note.text().to_vec()).unwrap())
}

async fn witnessed_registry(witnesses: &[&Witness]) -> (TestRegistry, Peer) {
    let settings: Vec<String> = witnesses.iter().map(|witness| witness.setting()).collect();
    let options = TestOptions::default().with_setting("LOG_WITNESSES", settings.join(", "));
    let (registry, peer) = (TestRegistry::start_with(options).await, Peer::start(agents::fleet).await);
    registry.live_card(&peer.url("/0/card.json")).await;
    let vkey = registry.get("/log").await.body["vkey"].as_str().unwrap().to_owned();
    for witness in witnesses {
        witness.with(|memory| memory.trusted.push(vkey.clone()));
    }
    (registry, peer)
}

async fn state_of(registry: &TestRegistry, witness: usize) -> Value {
    registry.get("/log").await.body["witnesses"][witness].clone()
}

fn size_of(checkpoint: &str) -> u64 {
    checkpoint.lines().nth(1).unwrap().parse().unwrap()
}

#[tokio::test]
async fn witnesses_cosign_each_checkpoint_and_the_registry_serves_the_cosignatures() {
    let (one, two) =
        (Witness::start("witness.example/w1", 1).await, Witness::start("witness.example/w2", 2).await);
    let (registry, peer) = witnessed_registry(&[&one, &two]).await;
    assert_eq!(one.cosigned_size(&checkpoint(&registry).await), None, "no tick has run");
    for folder in 1..5 {
        registry.tick_after(TICK).await;
        let served = checkpoint(&registry).await;
        let size = size_of(&served);
        assert_eq!(size, folder);
        assert_eq!((one.cosigned_size(&served), two.cosigned_size(&served)), (Some(size), Some(size)));
        // Between two ticks the cosigned checkpoint is served, but a new leaf can be proven at once.
        let id = registry.live_card(&peer.url(&format!("/{folder}/card.json"))).await;
        assert_eq!(checkpoint(&registry).await, served);
        let proof = verified_proof(&registry, &format!("listing_id={id}")).await;
        assert_eq!(proof["tree_size"], json!(size + 1));
        let proof = verified_proof(&registry, "index=0").await;
        assert_eq!((&proof["tree_size"], &proof["checkpoint"]), (&json!(size), &json!(served)));
    }
    let about = registry.get("/log").await.body;
    let described = registry.get("/openapi.json").await.body.to_string();
    for member in about["witnesses"][0].as_object().unwrap().keys() {
        assert!(described.contains(&format!("\"{member}\":{{")), "{member} is not described");
    }
    let state = &about["witnesses"][0];
    let cosigned_at = "2026-11-20T12:00:00.000Z";
    let expected =
        json!({ "vkey": one.vkey(), "tree_size": 4, "cosigned_at": cosigned_at, "/failure": null });
    assert_members(state, &expected);
    assert!(state["line"].is_string(), "{about}");
    assert_contains(&registry.text("/status").await, &["witness.example/w2"]);
    // Nothing new: a witness that has cosigned the tree is not asked again.
    registry.tick_after(TICK).await;
    let asked = one.peer.request_names().len();
    registry.tick_after(TICK).await;
    assert_eq!(one.peer.request_names().len(), asked);
}

#[tokio::test]
async fn witness_that_cosigned_another_size_names_it() {
    let witness = Witness::start("witness.example/w1", 1).await;
    let (registry, peer) = witnessed_registry(&[&witness]).await;
    registry.live_card(&peer.url("/1/card.json")).await;
    registry.tick_after(TICK).await;
    // The registry lost what it knew, for example after a restore.
    registry.forget("LOG#WITNESSED", "TREE").await;
    registry.live_card(&peer.url("/2/card.json")).await;
    let asked = witness.peer.request_names().len();
    registry.tick_after(TICK).await;
    assert_eq!(witness.cosigned_size(&checkpoint(&registry).await), Some(3));
    assert_eq!(witness.peer.request_names().len(), asked + 2, "409, then the proof from the named size");
}

#[tokio::test]
async fn witness_refuses_a_log_that_does_not_contain_what_it_cosigned() {
    let witness = Witness::start("witness.example/w1", 1).await;
    let (registry, peer) = witnessed_registry(&[&witness]).await;
    registry.live_agents(&peer, 1..3).await;
    registry.tick_after(TICK).await;
    assert_eq!(witness.cosigned_size(&checkpoint(&registry).await), Some(3));
    // As if the registry had shown it another log.
    witness.with(|memory| memory.root = Some(Hash([7; 32])));
    registry.live_card(&peer.url("/3/card.json")).await;
    registry.tick_after(TICK).await;
    assert_eq!(state_of(&registry, 0).await["failure"], "the answer has the status 422");
    assert_contains(&registry.text("/status").await, &["status 422"]);
    witness.with(|memory| memory.size = 99);
    registry.tick_after(TICK).await;
    assert_eq!(state_of(&registry, 0).await["failure"], "the witness has cosigned a larger tree");
    // No witness cosigns any more: after some ticks the registry serves its own checkpoint.
    for _ in 0..4 {
        registry.tick_after(TICK).await;
    }
    let served = checkpoint(&registry).await;
    assert_eq!((size_of(&served), witness.cosigned_size(&served)), (4, None));
}

#[tokio::test]
async fn silent_or_false_witness_delays_neither_the_log_nor_the_others() {
    let (silent, good) =
        (Witness::start("witness.example/w1", 1).await, Witness::start("witness.example/w2", 2).await);
    let (registry, peer) = witnessed_registry(&[&silent, &good]).await;
    silent.with(|memory| memory.is_silent = true);
    let began = Instant::now();
    registry.live_card(&peer.url("/1/card.json")).await;
    registry.tick_after(TICK).await;
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    let served = checkpoint(&registry).await;
    assert_eq!((silent.cosigned_size(&served), good.cosigned_size(&served)), (None, Some(2)));
    assert_members(&state_of(&registry, 0).await, &json!({ "failure": "timeout", "tree_size": 0 }));
    // It answers again, without new leaves.
    silent.with(|memory| memory.is_silent = false);
    registry.tick_after(TICK).await;
    let served = checkpoint(&registry).await;
    assert_eq!((silent.cosigned_size(&served), good.cosigned_size(&served)), (Some(2), Some(2)));
    // A signature with another key is not served.
    let line = format!("— witness.example/w2 {}\n", BASE64.encode([&[0; 4][..], &[1; 72]].concat()));
    good.peer.answer_with(move |_: &PeerRequest| line.clone().into_response());
    registry.live_card(&peer.url("/2/card.json")).await;
    registry.tick_after(TICK).await;
    let served = checkpoint(&registry).await;
    assert_eq!((silent.cosigned_size(&served), size_of(&served)), (Some(3), 3));
    assert!(!served.contains("witness.example/w2"), "{served}");
    assert_eq!(state_of(&registry, 1).await["failure"], "the answer contains no valid cosignature");
}
