//! The only module that knows DynamoDB; everything above it speaks of listings, budgets and feeds.
//! Changes that belong together are one transaction, changes that may be delivered twice are conditional, and no
//! request scans the table.

mod attributes;
mod batch_get;
mod blocked_hosts;
mod budget;
mod client;
mod counters;
mod decisions;
mod due;
mod due_class;
mod error;
mod evidence_item;
mod expiry;
mod expression;
mod falls;
mod feed;
mod host_pointers;
mod inbox;
mod index;
mod keys;
mod listing_item;
mod listings;
mod live;
mod manifest;
mod overdue;
mod probes;
mod rates;
mod read_cache;
mod recheck_lag;
mod signing_keys;
mod state_changes;
pub mod table;
mod tasks;
mod ticks;
mod transaction;

pub use budget::{Bucket, BudgetState, Caps};
pub use client::Store;
pub use counters::Week;
pub use due::{Claim, DuePlace};
pub use due_class::DueClass;
pub use error::StoreError;
pub use falls::Fall;
pub use index::{DirtyMark, Shown, StoredBucket};
pub use keys::HostPointer;
pub use listing_item::NamedListing;
pub use listings::Insertion;
pub use live::Live;
pub use manifest::Manifest;
pub use overdue::OverdueCount;
pub use probes::Tally;
pub use rates::{Allowance, UsedUp};
pub use signing_keys::KeptKey;
pub use state_changes::WriteOutcome;
pub use tasks::{KeptTask, LARGEST_CONTENT, Origin, TASK_KEPT, TaskFilter, TaskPage};
pub use ticks::TickReport;
