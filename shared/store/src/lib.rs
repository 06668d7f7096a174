//! The table and the event bus: the only crate that uses DynamoDB. It depends only on `registry-model`.
//!
//! [`Store`] is the handle. Each file in `records` declares the keys of its items, how they are stored and for how long, and
//! extends the handle with their requests. Start with `table/key.rs`. Then read `transaction` and `reads`, because all
//! requests use them. These rules apply to all requests:
//!
//! - Changes that belong together are one transaction. Changes that may be delivered twice are conditional.
//! - No request scans the table, except an erasure, the list of all feedback and an export. A request reads
//!   items by their keys, or queries one partition.
//! - The attribute names are stored data: renaming an attribute needs a migration.
//!
//! If a request fails, it returns a [`StoreError`]. It is not an error if a write is refused because of its
//! condition. The request then returns an outcome, such as `false` or [`WriteOutcome::LeaseLost`].

mod counts;
pub mod events;
mod manifest;
mod prelude;
mod records;
pub mod table;

pub use counts::{FunnelCounts, Live, Ratings};
pub use manifest::Manifest;
pub use records::attestations::{AttestationBatch, MAX_BATCH, Unlogged};
pub use records::budget::{Bucket, BudgetState, Caps, Share};
pub use records::caller_keys::{CALLER_KEY_PERIOD, CallerKeys, caller_key_period};
pub use records::challenges::Challenge;
pub use records::completions::{Claimant, CompletionOutcome, FeedbackPage, NewFeedback, NewReward};
pub use records::counters::{OverdueCount, Week};
pub use records::delistings::Delisting;
pub use records::demos::{DemoOutcome, ListingWithOrders};
pub use records::deposits::Deposit;
pub use records::due::{Claim, DueCursor};
pub use records::dumps::{DUMP_RETENTION, LoggedDump};
pub use records::economy::{BoostInputs, EconomySample};
pub use records::erasure::{Erased, ErasureReport};
pub use records::evidence_log::{AppendOutcome, PendingLeaf, PendingLeaves, UnreadableLeaf};
pub use records::feed::Changes;
pub use records::host_slots::{HostLease, SLOTS_PER_HOST};
pub use records::hosts::HostPointer;
pub use records::identities::Identities;
pub use records::inbox::{InboxWrite, MessagePage};
pub use records::listing_items::DueClass;
pub use records::outreach::{OutreachClass, OutreachPlace, OutreachState};
pub use records::overdue::UnfinishedCount;
pub use records::probes::{CountedReason, Tally};
pub use records::purchases::{BeginOutcome, NewPurchase, PaymentEvent, PaymentOutcome, StoredPurchase};
pub use records::rates::Allowance;
pub use records::reports::{REPORT_DAYS, ReportsPage};
pub use records::rewards::{Discount, DiscountUse};
pub use records::score_reports::SCORE_REPORT_RETENTION;
pub use records::search_index::{DirtyMark, Shown, StoredBucket};
pub use records::seen::{Addressed, MAX_TOOL_SETS, SeenTools};
pub use records::server_documents::DocumentChange;
pub use records::sessions::{SESSION_RETENTION, SessionChange, SessionTotals};
pub use records::signing_keys::{LogKeys, SecondLogKey, StoredKey};
pub use records::state_changes::WriteOutcome;
pub use records::tasks::{MAX_CONTENT_BYTES, Origin, StoredTask, TaskFilter, TaskPage};
pub use records::ticks::TickReport;
pub use records::touches::{ConnectorDay, NewTouch, OutreachTotals, TouchOutcome};
pub use records::trail_edges::Edge;
pub use records::trail_marks::{NewTrace, TraceOutcome, TraceSource, UsedWith};
pub use records::trail_reads::{Landscape, Removed, TrailFacts, TrailQuery};
pub use records::trail_totals::{EventTotal, TrailTotals};
pub use records::trails::Board;
pub use records::transfer::{Imported, TransferError};
pub use table::client::Store;
pub use table::error::{Scope, StoreError, UsedUp};
pub use table::read_cache::NamedListing;
