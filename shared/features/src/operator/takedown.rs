//! The decisions of the operator: withdraw or restore a listing, block a host, erase personal data, revoke access, read
//! reports and feedback, void a completion, revoke a purchase, change the key of the evidence log.
//! The withdrawal of a listing by its owner is also here. Every decision can be repeated safely and does a limited amount
//! of work. What changes a lane, a block or the stored texts about a listing adds an item to the feed.

mod erasure;
mod feedback;
mod hosts;
mod listings;
mod rewards;

use std::collections::BTreeMap;

use crate::prelude::*;
use registry_model::{
    Contact, Cursor, Feedback, FlaggedPurchase, HostName, KeyStep, PublicReason, PurchaseId, Report, TimeKey,
    TokenDigest,
};
use registry_store::{REPORT_DAYS, ReportsPage};

pub use feedback::feedback_of;
pub use hosts::host_blocked;
pub use listings::{restore_by_owner, withdraw_by_owner};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// Withdraws a listing; publishing it again has no effect until it is restored.
    Withdraw {
        listing_id: ListingId,
        reason: PublicReason,
    },
    /// Puts a withdrawn listing back into the queue; a good probe makes it Live.
    Restore {
        listing_id: ListingId,
    },
    /// Refuses new listings at a host and its subdomains, and withdraws those listed there.
    BlockHost {
        host: HostName,
        /// Shown to refused publishers and in the status of withdrawn listings.
        reason: PublicReason,
    },
    UnblockHost {
        host: HostName,
    },
    Contacts {
        listing_id: ListingId,
    },
    EraseContact {
        listing_id: ListingId,
    },
    /// Erases contacts, texts of feedback, tasks, sessions, reports, Talk messages, marks and reported outcomes: those of a
    /// listing, or those that contain an e-mail address. Or erases one public text.
    Erase {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        listing_id: Option<ListingId>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        email: Option<String>,
        /// The id of a Talk message, a mark or a reported outcome.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text_id: Option<String>,
        /// `next` of the earlier outcome.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<String>,
    },
    Reports {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        listing_id: Option<ListingId>,
        /// `next_cursor` of the earlier outcome.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cursor: Option<String>,
    },
    /// Lists the feedback of one listing, or of all listings, without addresses, phone numbers and secrets.
    Feedback {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        listing_id: Option<ListingId>,
        /// `next_cursor` of the earlier outcome.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cursor: Option<String>,
    },
    RevokeAccess {
        /// The SHA-256 of the token, so that no call and no log contains the token.
        token_sha256: TokenDigest,
    },
    /// Takes back the feedback of a listing with its reward. The seat is free again, and the listing can give feedback
    /// again.
    VoidCompletion {
        listing_id: ListingId,
    },
    /// Closes a purchase: its token stops working. The money is refunded at the payment provider.
    RevokePurchase {
        purchase_id: PurchaseId,
    },
    /// Lists the purchases that a refund, a dispute or a wrong payment flagged.
    FlaggedPurchases,
    ChangeLogKey {
        step: KeyStep,
    },
}

/// Carries out a decision.
///
/// # Errors
/// 404 for an unknown listing, 409 for a listing that cannot be restored, or an error because the table is busy.
pub async fn carry_out(app: &App, command: Command) -> Result<Outcome, Problem> {
    run(app, command).await.inspect_err(|problem| {
        if let Some(internal) = problem.causes() {
            tracing::error!(code = problem.code.as_str(), internal, "a command of the operator failed");
        }
    })
}

async fn run(app: &App, command: Command) -> Result<Outcome, Problem> {
    match command {
        Command::Withdraw { listing_id, reason } => listings::withdraw(app, &listing_id, reason).await,
        Command::Restore { listing_id } => listings::restore(app, &listing_id).await,
        Command::BlockHost { host, reason } => hosts::block(app, host, reason).await,
        Command::UnblockHost { host } => hosts::unblock(app, &host).await,
        Command::Contacts { listing_id } => contacts(app, &listing_id).await,
        Command::EraseContact { listing_id } => erasure::erase_contact(app, &listing_id).await,
        Command::Erase { listing_id, email, text_id, after } => {
            erasure::erase(app, listing_id, email, text_id, after.as_deref()).await
        }
        Command::Reports { listing_id, cursor } => reports(app, listing_id.as_ref(), cursor.as_deref()).await,
        Command::Feedback { listing_id, cursor } => {
            feedback::feedback_page(app, listing_id.as_ref(), cursor.as_deref()).await
        }
        Command::RevokeAccess { token_sha256 } => revoke_access(app, &token_sha256).await,
        Command::VoidCompletion { listing_id } => rewards::void_completion(app, &listing_id).await,
        Command::RevokePurchase { purchase_id } => rewards::revoke_purchase(app, &purchase_id).await,
        Command::FlaggedPurchases => rewards::flagged(app).await,
        Command::ChangeLogKey { step } => change_log_key(app, step).await,
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// Always true: a decision that cannot be carried out is a problem document.
    pub ok: bool,
    /// Whether anything changed; repeating a decision changes nothing.
    pub changed: bool,
    /// Listings that were withdrawn or restored.
    pub listings: u32,
    /// Listings at the host that remain to be withdrawn or restored: repeat the command.
    pub left: u32,
    /// Flagged purchases, the newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flagged: Vec<FlaggedPurchase>,
    /// Where an erasure continues: repeat the command with this value as `after`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// The newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<Report>,
    /// The number of reports about each listing. One call counts about 5 MB of reports.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub report_counts: BTreeMap<ListingId, u32>,
    /// With the texts of people.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub feedback: Vec<Feedback>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contacts: Vec<Contact>,
    /// Where the list of reports or of feedback continues: repeat the command with this value as `cursor`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    pub note: String,
}

impl Outcome {
    fn of_one(changed: bool, listings: u32, note: impl Into<String>) -> Self {
        Self { ok: true, changed, listings, note: note.into(), ..Self::default() }
    }
}

/// An owner whose token leaked needs no operator: sending the feedback with `reissue` replaces it.
async fn revoke_access(app: &App, token: &TokenDigest) -> Result<Outcome, Problem> {
    let revoked = app.store.revoke_grant(token).await?;
    let note = if revoked {
        "Revoked. The token gives no access any more."
    } else {
        "This token is unknown or gives no access."
    };
    Ok(Outcome::of_one(revoked, 0, note))
}

async fn contacts(app: &App, id: &ListingId) -> Result<Outcome, Problem> {
    let contacts = app.store.contacts(id, app.clock.now()).await?;
    let note = format!(
        "Contacts (an address, a source or both): {}. Only one from `owner` is of a proven owner. A contact is deleted after a year.",
        contacts.len()
    );
    Ok(Outcome { contacts, ..Outcome::of_one(false, 0, note) })
}

async fn reports(app: &App, about: Option<&ListingId>, cursor: Option<&str>) -> Result<Outcome, Problem> {
    let before = Cursor::<TimeKey>::position(cursor, "next_cursor")?.map(|key| key.to_string());
    let ReportsPage { reports, counts, next } = app.store.reports(about, before).await?;
    let mut note =
        format!("Reports on this page: {}. A report is deleted after {REPORT_DAYS} days.", reports.len());
    if next.is_some() {
        note.push_str(" For the next page, repeat the command with `next_cursor` as `cursor`.");
    }
    let next_cursor = next.map(|key| Cursor(key).to_string());
    Ok(Outcome { reports, report_counts: counts, next_cursor, ..Outcome::of_one(false, 0, note) })
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
        (KeyStep::Promote, None | Some(true)) => "`/log` shows no next key yet. Announce it, or wait for it.",
        (KeyStep::Retire, None) => "There is only one key, so no key can be retired.",
        _ => {
            app.store.request_key_step(step).await?;
            let note = "Requested. The next scheduled run of probe-tick or weekly-recheck carries out the last request. \
                Then `/log` shows the keys.";
            return Ok(Outcome::of_one(true, 0, note));
        }
    };
    Err(Problem::new(Code::KeyStepOutOfOrder, refusal))
}

/// 409: the host is blocked.
fn blocked_conflict(detail: String) -> Problem {
    Problem::new(Code::HostBlocked, detail).as_kind(ErrorKind::Conflict)
}
