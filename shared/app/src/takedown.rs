//! What an operator decides over the heads of probes and publishers: withdraw, restore, block a host, erase a contact,
//! revoke access. Every decision is safe to be made twice and does a bounded amount of work; those about listings and
//! hosts leave a line in the feed.

mod access;
mod contacts;
mod hosts;
mod listings;
mod outcome;
mod owner;

use serde::{Deserialize, Serialize};

use crate::App;
use registry_model::error::Problem;
use registry_model::{HostName, ListingId, PublicReason, TokenDigest};

pub use hosts::{host_blocked, withdraw_blocked};
pub use outcome::Outcome;
pub use owner::{restore_by_owner, withdraw_by_owner};

/// A decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// Takes a listing off; it stays off, whoever publishes it again, until it is restored.
    Withdraw {
        /// Which.
        listing_id: ListingId,
        /// Why; its status says so.
        reason: PublicReason,
    },
    /// Brings a withdrawn listing back into the queue: it goes Live by a new probe.
    Restore {
        /// Which.
        listing_id: ListingId,
    },
    /// Refuses whatever is published at a host or under it, and withdraws what is listed there.
    BlockHost {
        /// Which.
        host: HostName,
        /// Why; refused publishers and withdrawn listings are told.
        reason: PublicReason,
    },
    /// Ends a block, and restores what it withdrew.
    UnblockHost {
        /// Which.
        host: HostName,
    },
    /// Erases the address of a person and all else that was kept of whom to write to about a listing.
    EraseContact {
        /// About which.
        listing_id: ListingId,
    },
    /// Ends what an access token opens.
    RevokeAccess {
        /// The SHA-256 of the token, so that no token stands in a call or a log.
        token_sha256: TokenDigest,
    },
}

/// Carries a decision out.
///
/// # Errors
/// 404 for an unknown listing, 409 for one that cannot be restored; or the table is busy.
pub async fn carry_out(app: &App, command: Command) -> Result<Outcome, Problem> {
    match command {
        Command::Withdraw { listing_id, reason } => listings::withdraw(app, &listing_id, reason).await,
        Command::Restore { listing_id } => listings::restore(app, &listing_id).await,
        Command::BlockHost { host, reason } => hosts::block(app, host, reason).await,
        Command::UnblockHost { host } => hosts::unblock(app, &host).await,
        Command::EraseContact { listing_id } => contacts::erase(app, &listing_id).await,
        Command::RevokeAccess { token_sha256 } => access::revoke(app, &token_sha256).await,
    }
}
