//! Tests the schedules, and the first probe that an event starts.

mod bad_texts;
mod changes;
pub(crate) mod evidence_log;
mod evidence_log_keys;
mod evidence_log_order;
mod evidence_log_witnesses;
mod first_probe;
mod gated;
mod imports;
mod outreach;
mod overdue;
mod probe_tick;
mod renewals;
mod search_index;
mod signed_probes;
mod talk;
mod transfer;
mod weekly_recheck;
