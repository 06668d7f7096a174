//! What runs without a caller: the schedules, and the first probe that an event starts.

mod first_probe;
mod search_index;
mod weekly_recheck;
