//! The published tree of the evidence log: the tree that clients see.

use crate::prelude::*;
use registry_model::{LogTree, WitnessState, Witnessed};

/// Ticks for which the last cosigned tree is published although the log has grown.
const MAX_LAG_TICKS: u32 = 3;

/// The tree that clients see, and the witnesses.
#[derive(Clone, Debug)]
pub struct Published {
    /// Its checkpoint contains the cosignatures.
    pub tree: LogTree,
    pub witnesses: Vec<WitnessState>,
}

/// The tree that clients see; `None` before the first leaf. With witnesses, it is the last tree that was cosigned, unless
/// no witness has answered for some ticks.
pub async fn published(app: &App) -> Result<Option<Published>, Problem> {
    let Some(latest) = app.store.log_tree().await? else { return Ok(None) };
    if app.settings.log_witnesses.is_empty() {
        return Ok(Some(Published { tree: latest, witnesses: Vec::new() }));
    }
    let Witnessed { tree, at, witnesses } = app.store.witnessed().await?;
    let age = app.clock.now().duration_since(at).unsigned_abs();
    let is_recent = |tree: &LogTree| tree.size == latest.size || age <= app.settings.tick() * MAX_LAG_TICKS;
    let tree = tree.filter(|tree| tree.size <= latest.size && is_recent(tree)).unwrap_or(latest);
    Ok(Some(Published { tree, witnesses }))
}

/// The published tree, or the latest one if only that contains this leaf.
pub(super) async fn published_with(app: &App, index: u64) -> Result<Option<LogTree>, Problem> {
    let published = published(app).await?.map(|published| published.tree);
    match published.filter(|tree| index < tree.size) {
        Some(tree) => Ok(Some(tree)),
        None => Ok(app.store.log_tree().await?.filter(|tree| index < tree.size)),
    }
}
