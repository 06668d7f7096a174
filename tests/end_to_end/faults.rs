//! Tests failures: of the table, the event bus, the clock and the disk, and attacks by hostile peers. Also
//! counts the table calls of each request.

mod audit;
mod child_registry;
mod clock_steps;
mod costs;
mod damaged_index;
mod disordered_events;
mod failure_rates;
mod full_disk;
mod funnel;
mod hostile_peers;
mod memory;
mod restart;
mod stale_index;
mod table_faults;
