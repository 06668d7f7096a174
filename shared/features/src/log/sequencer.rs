//! Appends pending leaves to the tree of the evidence log in batches, and signs each new tree. Two runs at
//! the same time are safe: the conditional write of one run fails, and then this run reads the tree again. If
//! a run stops early, its leaves stay pending. A leaf that cannot be read is set aside, so that it does not stop the log.

use tlog_tiles::Checkpoint;

use super::tree::{Growth, grow, write_hash};
use super::{attestation_batches, witnesses};
use crate::listing::change_feed;
use crate::prelude::*;
use crate::trust::log_key::{self, LogSigner, log_signer};
use registry_model::LogTree;
use registry_store::{AppendOutcome, PendingLeaves};

/// Batches per run, so that a run ends within its function's time; the next run takes the rest.
const MAX_BATCHES: u32 = 40;

/// Seconds between runs started by single verdicts: a run costs four operations, however many leaves it appends.
const RUN_INTERVAL_S: i64 = 2;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SequencerReport {
    pub leaves: u64,
    pub left: bool,
}

/// Appends the pending leaves to the tree. The first leaf creates the log.
pub async fn sequence(app: &App) -> Result<SequencerReport, Problem> {
    let mut report = SequencerReport::default();
    let mut pending = readable_leaves(app).await?;
    if pending.leaves.is_empty() {
        return Ok(report);
    }
    let signer = log_signer(app).await?;
    let mut tree = match app.store.log_tree().await? {
        Some(tree) => tree,
        None => create(app, &signer).await?,
    };
    for _ in 0..MAX_BATCHES {
        let leaves = &pending.leaves;
        let texts: Vec<&str> = leaves.iter().map(|leaf| leaf.text.as_str()).collect();
        let growth = grow(tree.size, &tree.edge, &texts)?;
        let after = signed(app, &signer, &growth).await?;
        match app.store.append_to_log(&tree, &after, &growth.segments, leaves).await? {
            AppendOutcome::Appended => {
                report.leaves += after.size - tree.size;
                tree = after;
                if !pending.more {
                    return Ok(report);
                }
            }
            AppendOutcome::Overtaken => tree = current(app).await?,
            AppendOutcome::Known(positions) => {
                for leaf in positions.into_iter().filter_map(|position| leaves.get(position)) {
                    app.store.forget_pending(leaf).await?;
                }
            }
        }
        pending = readable_leaves(app).await?;
        if pending.leaves.is_empty() {
            return Ok(report);
        }
    }
    Ok(SequencerReport { left: true, ..report })
}

/// The next pending leaves that can be appended. The others are set aside.
async fn readable_leaves(app: &App) -> Result<PendingLeaves, Problem> {
    loop {
        let pending = app.store.pending_leaves().await?;
        for leaf in &pending.unreadable {
            tracing::error!(
                leaf = shorten(&leaf.text, 300),
                "a pending leaf cannot be read; it is set aside"
            );
            app.store.set_aside(leaf).await?;
        }
        if !pending.leaves.is_empty() || !pending.more {
            return Ok(pending);
        }
    }
}

/// For a scheduled job that has done its own work. It numbers the changes of listings, carries out a requested change of keys,
/// logs the attestations of the
/// last hour, appends the pending leaves and asks the witnesses. A failure is logged, and the next run repeats the work.
pub async fn sequence_or_warn(app: &App) -> Option<SequencerReport> {
    change_feed::number_or_warn(app).await;
    warn("could not change the key of the evidence log", change_key(app).await);
    warn("could not log the attestations", attestation_batches::log_attestations(app).await);
    let report = warn("could not append pending leaves; the next run retries", sequence(app).await);
    warn("could not collect cosignatures", witnesses::collect(app).await);
    report
}

fn warn<T>(what: &'static str, outcome: Result<T, Problem>) -> Option<T> {
    outcome
        .inspect_err(|problem| {
            let internal = problem.causes().unwrap_or_else(|| problem.detail.clone());
            tracing::warn!(code = problem.code.as_str(), internal, "{what}");
        })
        .ok()
}

/// For a single verdict: one run for all verdicts within [`RUN_INTERVAL_S`], so that many first probes at once do not
/// wait for each other or pay for each other's runs.
pub async fn sequence_if_due(app: &App) -> Option<SequencerReport> {
    let now = app.clock.now();
    match app.store.take_slot("evidence-log", now.as_second() / RUN_INTERVAL_S, now).await {
        Ok(true) => {
            change_feed::number_or_warn(app).await;
            warn("could not append pending leaves; the next run retries", sequence(app).await)
        }
        Ok(false) => None,
        Err(error) => {
            tracing::warn!(error = chain(&error), "could not append pending leaves; the next run retries");
            None
        }
    }
}

async fn current(app: &App) -> Result<LogTree, Problem> {
    app.store.log_tree().await?.ok_or_else(|| Problem::fault("the evidence log has no Merkle tree yet"))
}

/// The empty tree, or what another process has made of it in the meantime.
async fn create(app: &App, signer: &LogSigner) -> Result<LogTree, Problem> {
    let empty = signed(app, signer, &grow(0, &[], &[])?).await?;
    app.store.make_log(&empty).await?;
    current(app).await
}

/// Carries out the step of a change of the log's key that the operator requested (`crate::operator::takedown`), if there is one.
/// The current checkpoint is signed again with the new keys.
async fn change_key(app: &App) -> Result<(), Problem> {
    let Some(step) = app.store.take_key_step().await? else { return Ok(()) };
    tracing::info!(step = step.as_str(), "changing the key of the evidence log");
    log_key::carry_out(app, step).await?;
    let Some(tree) = app.store.log_tree().await? else { return Ok(()) };
    let after = signed(app, &log_signer(app).await?, &grow(tree.size, &tree.edge, &[])?).await?;
    // If the tree has grown in the meantime, its checkpoint may have the new signatures already.
    app.store.append_to_log(&tree, &after, &[], &[]).await?;
    Ok(())
}

async fn signed(app: &App, signer: &LogSigner, growth: &Growth) -> Result<LogTree, Problem> {
    let Growth { size, root, edge, .. } = growth;
    let checkpoint = Checkpoint::new(signer.origin(), *size, *root, "");
    // Its error type does not implement `Error`.
    let checkpoint = checkpoint.map_err(|error| Problem::fault(error.to_string()))?;
    let text = String::from_utf8(checkpoint.to_bytes()).map_err(Problem::fault)?;
    Ok(LogTree {
        origin: signer.origin().to_owned(),
        vkey: signer.vkey().to_owned(),
        size: *size,
        root: write_hash(*root),
        edge: edge.clone(),
        checkpoint: signer.sign(app.key_service.as_deref(), &text).await?,
        at: app.clock.now(),
        second_key: signer.second_key(),
    })
}
