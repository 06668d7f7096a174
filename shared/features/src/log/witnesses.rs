//! Witnesses cosign checkpoints (C2SP `tlog-witness`, `tlog-cosignature`). A witness remembers the last tree that it
//! cosigned, and cosigns only trees that contain this tree. So the registry cannot show different logs to different
//! clients that require cosignatures. After new leaves, each witness is asked once. A witness that fails or is slow is
//! asked again after the next run, and delays neither the log nor the other witnesses.

use std::cmp::Ordering;

use bytes::Bytes;
use ed25519_dalek::{Signature as Ed25519Signature, VerifyingKey};
use futures::future::join_all;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use signed_note::{Note, Signature};

use super::inclusion::consistency;
use crate::prelude::*;
use registry_fetch::{Follow, PREFLIGHT, Request, Target};
use registry_model::{LogTree, LogWitness, WitnessState, Witnessed};

const MAX_ANSWER_BYTES: usize = 64 * 1024;
/// How often a witness is asked in one run: a second time, if it cosigned another size than expected.
const MAX_REQUESTS: usize = 2;

/// Asks the witnesses that have not cosigned the latest tree.
pub(super) async fn collect(app: &App) -> Result<(), Problem> {
    if app.settings.log_witnesses.is_empty() {
        return Ok(());
    }
    let Some(tree) = app.store.log_tree().await?.filter(|tree| tree.size > 0) else { return Ok(()) };
    let before = app.store.witnessed().await?;
    let asked = app.settings.log_witnesses.iter().map(|witness| {
        let known = before.witnesses.iter().find(|state| state.vkey == witness.vkey).cloned();
        let known =
            known.unwrap_or_else(|| WitnessState { vkey: witness.vkey.clone(), ..Default::default() });
        ask(app, witness, &tree, known)
    });
    let witnesses = join_all(asked).await;
    let lines: String = witnesses
        .iter()
        .filter(|state| state.tree_size == tree.size)
        .map(|state| state.line.as_str())
        .collect();
    let after = if lines.is_empty() {
        Witnessed { witnesses, ..before }
    } else {
        let checkpoint = format!("{}{lines}", tree.checkpoint);
        Witnessed { tree: Some(LogTree { checkpoint, ..tree }), at: app.clock.now(), witnesses }
    };
    Ok(app.store.keep_witnessed(&after).await?)
}

/// Asks a witness for its cosignature, unless it has already cosigned this tree.
async fn ask(app: &App, witness: &LogWitness, tree: &LogTree, known: WitnessState) -> WitnessState {
    if known.tree_size >= tree.size && !known.line.is_empty() {
        return known;
    }
    let mut known = known;
    for _ in 0..MAX_REQUESTS {
        match submit(app, witness, tree, known.tree_size).await {
            Ok(Answer::Cosigned { line, at }) => {
                return WitnessState {
                    tree_size: tree.size,
                    line,
                    cosigned_at: Some(at),
                    failure: None,
                    ..known
                };
            }
            Ok(Answer::OtherSize(size)) => match size.cmp(&tree.size) {
                // Another run may have submitted a later tree. Otherwise the witness has seen another log.
                Ordering::Greater => {
                    return failed(witness, known, "the witness has cosigned a larger tree".to_owned());
                }
                _ if size == known.tree_size => {
                    return failed(witness, known, "the witness has cosigned another tree".to_owned());
                }
                _ => known = WitnessState { tree_size: size, line: String::new(), ..known },
            },
            Err(reason) => return failed(witness, known, reason),
        }
    }
    failed(witness, known, "the witness named two different sizes".to_owned())
}

fn failed(witness: &LogWitness, known: WitnessState, reason: String) -> WitnessState {
    tracing::warn!(witness = witness.name, reason, "a witness did not cosign the evidence log");
    WitnessState { failure: Some(reason), ..known }
}

enum Answer {
    Cosigned {
        line: String,
        at: Moment,
    },
    /// The size of the tree that the witness cosigned last.
    OtherSize(u64),
}

/// C2SP `tlog-witness`, "add-checkpoint".
async fn submit(app: &App, witness: &LogWitness, tree: &LogTree, old: u64) -> Result<Answer, String> {
    let url = format!("{}/add-checkpoint", witness.url);
    let target =
        Target::parse(&url, app.fetcher.reach()).map_err(|error| error.code().as_str().to_owned())?;
    let proof = consistency(app, tree.size, old).await.map_err(|problem| problem.code.as_str().to_owned())?;
    let proof: String = proof.into_iter().map(|hash| format!("{hash}\n")).collect();
    let request = Request {
        method: Method::POST,
        headers: HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_static("text/plain"))]),
        body: Some(Bytes::from(format!("old {old}\n{proof}\n{}", tree.checkpoint))),
        deadline: PREFLIGHT,
        max_bytes: MAX_ANSWER_BYTES,
        follow: Follow::Never,
        ..Request::get(target)
    };
    let answer = app.fetcher.send(request).await.map_err(|error| error.code().to_owned())?;
    let body = std::str::from_utf8(&answer.body).map_err(|_| "the answer is not UTF-8".to_owned())?;
    match answer.status {
        StatusCode::OK => {
            let found = cosignature(witness, &tree.checkpoint, body);
            let (line, at) = found.ok_or_else(|| "the answer contains no valid cosignature".to_owned())?;
            Ok(Answer::Cosigned { line, at })
        }
        StatusCode::CONFLICT => {
            let size = body.trim_end().parse();
            size.map(Answer::OtherSize).map_err(|_| "the answer 409 contains no size".to_owned())
        }
        status => Err(format!("the answer has the status {}", status.as_u16())),
    }
}

/// The signature line of this witness in an answer, and its time; `None` if no line is valid. Lines of other keys are
/// ignored (C2SP `tlog-cosignature`, "Format").
fn cosignature(witness: &LogWitness, checkpoint: &str, answer: &str) -> Option<(String, Moment)> {
    let note = Note::from_bytes(checkpoint.as_bytes()).ok()?;
    let key = VerifyingKey::from_bytes(&witness.key).ok()?;
    let lines = answer.lines().filter_map(|line| Signature::from_bytes(line.as_bytes()).ok());
    let mut own = lines.filter(|line| line.name() == witness.name && line.id() == witness.key_id);
    own.find_map(|line| {
        let (time, signature) = line.signature().split_first_chunk::<8>()?;
        let time = u64::from_be_bytes(*time);
        let signed = [format!("cosignature/v1\ntime {time}\n").as_bytes(), note.text()].concat();
        key.verify_strict(&signed, &Ed25519Signature::from_slice(signature).ok()?).ok()?;
        let at = Moment::from_second(i64::try_from(time).ok()?)?;
        Some((String::from_utf8(line.to_bytes()).ok()?, at))
    })
}

#[cfg(test)]
mod tests;
