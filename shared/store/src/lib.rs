//! The table and the event bus: the only crate that uses DynamoDB. It depends only on `registry-model`.
//!
//! [`Store`] is the handle. Each file extends it with the requests of one subject, such as `listings` or
//! `tasks`. Start with `keys`, which lists every kind of item. Then read `transaction` and `reads`, because
//! all requests use them. These rules apply to all requests:
//!
//! - Changes that belong together are one transaction. Changes that may be delivered twice are conditional.
//! - No request scans the table, except an erasure, the list of all feedback and an export. A request reads items by their keys, or queries one partition.
//! - The attribute names are stored data: renaming an attribute needs a migration.
//!
//! If a request fails, it returns a [`StoreError`]. It is not an error if a write is refused because of its
//! condition. The request then returns an outcome, such as `false` or [`WriteOutcome::LeaseLost`].

mod attestation_batches;
mod attestations;
mod attributes;
mod batch_get;
mod budget;
mod cached;
mod caller_keys;
mod challenges;
mod changes;
mod client;
mod collections;
mod completions;
mod connector_days;
mod counters;
mod decisions;
mod delistings;
mod demos;
mod deposit;
mod discounts;
mod due;
mod dumps;
mod economy;
mod erasure;
mod error;
pub mod events;
mod evidence_item;
mod evidence_log;
mod expression;
#[cfg(test)]
mod fake_table;
mod federation;
mod feed;
mod github_owners;
mod grants;
mod host_slots;
mod hosts;
mod identities;
mod inbox;
mod keys;
mod leaves;
mod listing_item;
mod listings;
mod outcomes;
mod outreach;
mod overdue;
mod payments;
mod prelude;
mod probes;
mod purchases;
mod rates;
mod read_cache;
mod reads;
mod reports;
mod retired;
mod score_reports;
mod search_index;
mod seen;
mod server_documents;
mod sessions;
mod signing_keys;
mod state_changes;
pub mod table;
mod tasks;
mod ticks;
mod touches;
mod trail_edges;
mod trail_marks;
mod trail_reads;
mod trail_removal;
mod trail_totals;
mod trails;
mod transaction;
mod transfer;
mod writes;

pub use attestation_batches::{AttestationBatch, MAX_BATCH, Unlogged};
pub use budget::{Bucket, BudgetState, Caps, Share};
pub use cached::{FunnelCounts, Live, Manifest, Ratings};
pub use caller_keys::{CALLER_KEY_PERIOD, CallerKeys, caller_key_period};
pub use challenges::Challenge;
pub use changes::Changes;
pub use client::Store;
pub use completions::FeedbackPage;
pub use completions::{Claimant, CompletionOutcome, NewFeedback, NewReward};
pub use connector_days::ConnectorDay;
pub use counters::Week;
pub use delistings::Delisting;
pub use demos::{DemoOutcome, ListingWithOrders};
pub use deposit::Deposit;
pub use discounts::{Discount, DiscountUse};
pub use due::{Claim, DuePlace};
pub use dumps::{DUMP_RETENTION, LoggedDump};
pub use economy::{BoostInputs, EconomySample};
pub use erasure::{Erased, ErasureReport};
pub use error::StoreError;
pub use evidence_log::{AppendOutcome, PendingLeaf, PendingLeaves, UnreadableLeaf};
pub use host_slots::{HostLease, SLOTS_PER_HOST};
pub use identities::Identities;
pub use inbox::{InboxWrite, MessagePage};
pub use keys::HostPointer;
pub use listing_item::{DueClass, NamedListing};
pub use outreach::{OutreachClass, OutreachPlace, OutreachState};
pub use overdue::{OverdueCount, UnfinishedCount};
pub use payments::{PaymentEvent, PaymentOutcome};
pub use probes::{CountedReason, Tally};
pub use purchases::{BeginOutcome, NewPurchase, StoredPurchase};
pub use rates::{Allowance, Scope, UsedUp};
pub use reports::ReportsPage;
pub use score_reports::SCORE_REPORT_RETENTION;
pub use search_index::{DirtyMark, Shown, StoredBucket};
pub use seen::{Addressed, MAX_TOOL_SETS, SeenTools};
pub use server_documents::DocumentChange;
pub use sessions::{SESSION_RETENTION, SessionChange, SessionTotals};
pub use signing_keys::{LogKeys, SecondLogKey, StoredKey};
pub use state_changes::WriteOutcome;
pub use tasks::{MAX_CONTENT_BYTES, Origin, StoredTask, TaskFilter, TaskPage};
pub use ticks::TickReport;
pub use touches::{NewTouch, OutreachTotals, TouchOutcome};
pub use trail_edges::Edge;
pub use trail_marks::{NewTrace, TraceOutcome, TraceSource, UsedWith};
pub use trail_reads::{Landscape, TrailFacts, TrailQuery};
pub use trail_removal::Removed;
pub use trail_totals::{EventTotal, TrailTotals};
pub use trails::Board;
pub use transfer::{Imported, TransferError};
