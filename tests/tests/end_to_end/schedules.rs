//! Tests the schedules, and the first probe that an event starts.

mod all_schedules;
mod bad_texts;
mod evidence_log;
mod first_probe;
mod going_live;
mod large_texts;
mod outreach;
mod overdue;
mod probe_tick;
mod search_index;
mod talk;
mod weekly_recheck;
