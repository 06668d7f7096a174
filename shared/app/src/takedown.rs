//! The decisions of the operator: withdraw or restore a listing, block a host, erase a contact, revoke
//! access, change the key of the evidence log. The withdrawal of a listing by its owner is also here. Every decision can be repeated safely and
//! does a limited amount of work. A decision about a listing or a host adds an item to the feed.

mod hosts;
mod listings;
mod owner;

use http::StatusCode;
use serde::{Deserialize, Serialize};

use crate::App;
use registry_model::error::Problem;
use registry_model::{FeedItem, HostName, KeyStep, ListingId, PublicReason, TokenDigest};

pub use hosts::{host_blocked, withdraw_blocked};
pub use owner::{restore_by_owner, withdraw_by_owner};

/// A decision of the operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// Withdraws a listing; publishing it again has no effect until it is restored.
    Withdraw {
        listing_id: ListingId,
        reason: PublicReason,
    },
    /// Puts a withdrawn listing back into the queue; a new probe makes it Live.
    Restore {
        listing_id: ListingId,
    },
    /// Refuses new listings at a host and its subdomains, and withdraws those listed there.
    BlockHost {
        host: HostName,
        /// Shown to refused publishers and in the status of withdrawn listings.
        reason: PublicReason,
    },
    /// Ends a block and restores the listings that it withdrew.
    UnblockHost {
        host: HostName,
    },
    EraseContact {
        listing_id: ListingId,
    },
    RevokeAccess {
        /// The SHA-256 of the token, so that no call and no log contains the token.
        token_sha256: TokenDigest,
    },
    /// Requests a step of a change of the key of the evidence log.
    ChangeLogKey {
        step: KeyStep,
    },
}

/// Carries out a decision.
///
/// # Errors
/// 404 for an unknown listing, 409 for a listing that cannot be restored, or an error because the table is busy.
pub async fn carry_out(app: &App, command: Command) -> Result<Outcome, Problem> {
    match command {
        Command::Withdraw { listing_id, reason } => listings::withdraw(app, &listing_id, reason).await,
        Command::Restore { listing_id } => listings::restore(app, &listing_id).await,
        Command::BlockHost { host, reason } => hosts::block(app, host, reason).await,
        Command::UnblockHost { host } => hosts::unblock(app, &host).await,
        Command::EraseContact { listing_id } => erase_contact(app, &listing_id).await,
        Command::RevokeAccess { token_sha256 } => revoke_access(app, &token_sha256).await,
        Command::ChangeLogKey { step } => change_log_key(app, step).await,
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// Always true: a decision that cannot be carried out is a problem document.
    pub ok: bool,
    /// Whether anything changed; repeating a decision changes nothing.
    pub changed: bool,
    /// Listings that were withdrawn or restored.
    pub listings: u32,
    /// Listings at the host that remain to be withdrawn or restored: repeat the command.
    pub left: u32,
    pub note: String,
}

impl Outcome {
    fn of_one(changed: bool, listings: u32, note: impl Into<String>) -> Self {
        Self { ok: true, changed, listings, left: 0, note: note.into() }
    }
}

/// An owner whose token leaked needs no operator: sending the feedback with `reissue` replaces it.
async fn revoke_access(app: &App, token: &TokenDigest) -> Result<Outcome, Problem> {
    let revoked = app.store.revoke_grant(token).await?;
    let note = if revoked {
        "Revoked. The token gives no access any more."
    } else {
        "This token is unknown or gives \
            no access."
    };
    Ok(Outcome::of_one(revoked, 0, note))
}

async fn erase_contact(app: &App, id: &ListingId) -> Result<Outcome, Problem> {
    // A contact may outlive its listing; it is erased all the same.
    let name = app.store.listing(id).await?.map_or_else(|| id.to_string(), |listing| listing.name);
    let news = FeedItem {
        what: "contact_erased".to_owned(),
        at: app.clock.now(),
        listing_id: Some(id.clone()),
        kind: None,
        text: format!("The contact of {name} was erased."),
        name,
    };
    let erased = app.store.erase_contact(id).await?;
    if erased {
        app.store.tell(&news).await?;
    }
    let note = if erased { "The contact was erased." } else { "This listing has no stored contact." };
    Ok(Outcome::of_one(erased, 0, note))
}

/// Requests a step that fits the keys of the current checkpoint. The function that signs the log carries it out, so that no
/// other function needs access to its keys.
async fn change_log_key(app: &App, step: KeyStep) -> Result<Outcome, Problem> {
    let second = app.store.log_tree().await?.and_then(|tree| tree.second_key);
    let second_is_previous = second.map(|key| key.is_previous);
    let refusal = match (step, second_is_previous) {
        (KeyStep::Announce, Some(true)) => {
            "The previous key still signs. Retire it before you announce the next key."
        }
        (KeyStep::Promote, None | Some(true)) => "There is no next key. Announce it first.",
        (KeyStep::Retire, None) => "There is only one key, so no key can be retired.",
        _ => {
            app.store.request_key_step(step).await?;
            let note = "Requested. The next scheduled run of probe-tick or weekly-recheck carries it out. Then `/log` \
                shows the keys.";
            return Ok(Outcome::of_one(true, 0, note));
        }
    };
    Err(Problem::new(StatusCode::CONFLICT, "key_step_out_of_order", refusal))
}

/// 409: the host is blocked.
fn blocked_conflict(detail: String) -> Problem {
    Problem::new(StatusCode::CONFLICT, "host_blocked", detail)
}
