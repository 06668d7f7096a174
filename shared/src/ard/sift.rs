//! Search hits that a further condition must hold for, which the index does not know. They are looked at in windows of
//! the ranking, one for a page, and the next page goes on where this one ended: none is lost or shown twice.

use std::collections::HashMap;

use crate::app::App;
use crate::error::Problem;
use crate::listing::ListingId;
use crate::search::{self, Hit, Wanted};
use crate::store::Evidence;

/// So many hits are looked at for one page, so that a page costs a fixed number of reads. Windows begin at multiples of
/// it, because the order of hits is settled within what is read together.
const WINDOW: usize = 99;

/// A hit with the evidence of its last probe.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The hit.
    pub hit: Hit,
    /// The evidence.
    pub evidence: Option<Evidence>,
}

/// A page of what held.
#[derive(Clone, Debug)]
pub struct Sifted {
    /// The hits that held, the best first.
    pub seen: Vec<Seen>,
    /// What [`Wanted::skip`] must be for the next page; `None` on the last.
    pub next: Option<usize>,
    /// How many there are on all pages; `None` where only the rest of them would tell.
    pub total: Option<usize>,
}

/// Finds what is wanted, with evidence, and keeps what holds.
///
/// # Errors
/// The table is busy or refused.
pub async fn sift(
    app: &App,
    wanted: Wanted,
    condition: Option<&(dyn Fn(&Seen) -> bool + Sync)>,
) -> Result<Sifted, Problem> {
    let (from, limit) = (wanted.skip, wanted.limit);
    let Some(holds) = condition else {
        let found = search::find(app, &wanted).await?;
        let next = Some(from + limit).filter(|next| *next < found.total);
        return Ok(Sifted { total: Some(found.total), next, seen: with_evidence(app, found.hits).await? });
    };
    let seen_before = from % WINDOW;
    let window = from - seen_before;
    let found = search::find(app, &Wanted { skip: window, limit: WINDOW, ..wanted }).await?;
    let behind = Some(window + WINDOW).filter(|next| *next < found.total);
    let mut kept = Vec::new();
    for (place, seen) in with_evidence(app, found.hits).await?.into_iter().enumerate().skip(seen_before) {
        if !holds(&seen) {
            continue;
        }
        if kept.len() == limit {
            return Ok(Sifted { seen: kept, next: Some(window + place), total: None });
        }
        kept.push(seen);
    }
    let whole = from == 0 && behind.is_none();
    Ok(Sifted { total: whole.then_some(kept.len()), seen: kept, next: behind })
}

async fn with_evidence(app: &App, hits: Vec<Hit>) -> Result<Vec<Seen>, Problem> {
    let ids: Vec<ListingId> = hits.iter().map(|hit| hit.listing.id.clone()).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let named = app.store.listings_with_evidence(&ids).await?;
    let mut evidence: HashMap<ListingId, Option<Evidence>> =
        named.into_iter().map(|(listing, evidence)| (listing.id, evidence)).collect();
    Ok(hits
        .into_iter()
        .map(|hit| Seen { evidence: evidence.remove(&hit.listing.id).flatten(), hit })
        .collect())
}
