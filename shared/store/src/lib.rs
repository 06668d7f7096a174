//! The table and the event bus: the only crate that uses DynamoDB. It depends only on the settings
//! and the model.
//!
//! [`Store`] is the handle. Each file in `records` declares the keys of its items, how they are stored and for how long, and
//! extends the handle with their requests. Start with `table/key.rs`. Then read `table/reads.rs` and `table/writes.rs`,
//! because all requests use them. These rules apply to all requests:
//!
//! - Changes that belong together are one transaction. Changes that may be delivered twice are conditional.
//! - No request scans the table, except an erasure, the list of all feedback and an export. A request reads
//!   items by their keys, or queries one partition.
//! - The attribute names are stored data: renaming an attribute needs a migration.
//!
//! If a request fails, it returns a [`StoreError`]. It is not an error if a write is refused because of its
//! condition. The request then returns an outcome, such as `false` or [`WriteOutcome::LeaseLost`].

pub mod events;
mod prelude;
mod read_cache;
mod records;
pub mod table;

pub use records::attestations::{AttestationBatch, MAX_BATCH, Unlogged};
pub use records::callers::{Allowance, CALLER_KEY_PERIOD, CallerKeys, caller_key_period};
pub use records::counters::{
    CountedReason, FunnelCounts, Live, OverdueCount, Ratings, Tally, UnfinishedCount, Week,
};
pub use records::due::{Bucket, BudgetState, Caps, Claim, DueCursor, Share, TickReport};
pub use records::economy::{BoostInputs, EconomySample};
pub use records::erasure::{Erased, ErasureReport};
pub use records::evidence_log::{AppendOutcome, PendingLeaf, PendingLeaves, UnreadableLeaf};
pub use records::federation::{DUMP_RETENTION, LoggedDump};
pub use records::feed::{Changes, Delisting};
pub use records::funnel::{
    Claimant, CompletionOutcome, DemoOutcome, Discount, DiscountUse, FeedbackPage, ListingWithOrders,
    NewFeedback, NewReward,
};
pub use records::hosts::{HostLease, SLOTS_PER_HOST};
pub use records::inbox::{InboxWrite, MessagePage};
pub use records::listings::{DocumentChange, DueClass, NamedListing};
pub use records::outreach::{
    ConnectorDay, NewTouch, OutreachClass, OutreachPlace, OutreachState, OutreachTotals, TouchOutcome,
};
pub use records::pointers::HostPointer;
pub use records::proofs::{Challenge, Identities};
pub use records::purchases::{BeginOutcome, NewPurchase, PaymentEvent, PaymentOutcome, StoredPurchase};
pub use records::reports::{REPORT_DAYS, ReportsPage};
pub use records::score_reports::SCORE_REPORT_RETENTION;
pub use records::search_index::{DirtyMark, Manifest, Shown, StoredBucket};
pub use records::seen::{Addressed, MAX_TOOL_SETS, SeenTools};
pub use records::sessions::{SESSION_RETENTION, SessionChange, SessionTotals};
pub use records::signing_keys::{LogKeys, SecondLogKey, StoredKey};
pub use records::state_changes::WriteOutcome;
pub use records::tasks::{MAX_CONTENT_BYTES, Origin, StoredTask, TaskFilter, TaskPage};
pub use records::traces::{Edge, NewTrace, TraceOutcome, TraceSource, UsedWith};
pub use records::trail_reads::{Landscape, Removed, TrailFacts, TrailQuery};
pub use records::trails::{Board, Deposit, EventTotal, TrailTotals};
pub use records::transfer::{Imported, TransferError};
pub use table::Store;
pub use table::error::{Scope, StoreError, UsedUp};
