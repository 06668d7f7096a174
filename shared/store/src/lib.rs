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

pub mod events;
mod records;
pub mod table;

pub use records::attestation_batches::{AttestationBatch, MAX_BATCH, Unlogged};
pub use records::budget::{Bucket, BudgetState, Caps, Share};
pub use records::cached::{FunnelCounts, Live, Manifest, Ratings};
pub use records::caller_keys::{CALLER_KEY_PERIOD, CallerKeys, caller_key_period};
pub use records::challenges::Challenge;
pub use records::changes::Changes;
pub use records::completions::FeedbackPage;
pub use records::completions::{Claimant, CompletionOutcome, NewFeedback, NewReward};
pub use records::connector_days::ConnectorDay;
pub use records::counters::Week;
pub use records::delistings::Delisting;
pub use records::demos::{DemoOutcome, ListingWithOrders};
pub use records::deposit::Deposit;
pub use records::discounts::{Discount, DiscountUse};
pub use records::due::{Claim, DuePlace};
pub use records::dumps::{DUMP_RETENTION, LoggedDump};
pub use records::economy::{BoostInputs, EconomySample};
pub use records::erasure::{Erased, ErasureReport};
pub use records::evidence_log::{AppendOutcome, PendingLeaf, PendingLeaves, UnreadableLeaf};
pub use records::host_slots::{HostLease, SLOTS_PER_HOST};
pub use records::identities::Identities;
pub use records::inbox::{InboxWrite, MessagePage};
pub use records::listing_item::{DueClass, NamedListing};
pub use records::outreach::{OutreachClass, OutreachPlace, OutreachState};
pub use records::overdue::{OverdueCount, UnfinishedCount};
pub use records::payments::{PaymentEvent, PaymentOutcome};
pub use records::probes::{CountedReason, Tally};
pub use records::purchases::{BeginOutcome, NewPurchase, StoredPurchase};
pub use records::rates::{Allowance, Scope, UsedUp};
pub use records::reports::ReportsPage;
pub use records::score_reports::SCORE_REPORT_RETENTION;
pub use records::search_index::{DirtyMark, Shown, StoredBucket};
pub use records::seen::{Addressed, MAX_TOOL_SETS, SeenTools};
pub use records::server_documents::DocumentChange;
pub use records::sessions::{SESSION_RETENTION, SessionChange, SessionTotals};
pub use records::signing_keys::{LogKeys, SecondLogKey, StoredKey};
pub use records::state_changes::WriteOutcome;
pub use records::tasks::{MAX_CONTENT_BYTES, Origin, StoredTask, TaskFilter, TaskPage};
pub use records::ticks::TickReport;
pub use records::touches::{NewTouch, OutreachTotals, TouchOutcome};
pub use records::trail_edges::Edge;
pub use records::trail_marks::{NewTrace, TraceOutcome, TraceSource, UsedWith};
pub use records::trail_reads::{Landscape, TrailFacts, TrailQuery};
pub use records::trail_removal::Removed;
pub use records::trail_totals::{EventTotal, TrailTotals};
pub use records::trails::Board;
pub use table::client::Store;
pub use table::error::StoreError;
pub use table::keys::HostPointer;
pub use table::transfer::{Imported, TransferError};
