//! What fails beneath the registry or is hostile towards it, and what each request costs there.

mod books;
mod clock_steps;
mod costs;
mod disordered_events;
mod failure_rates;
mod full_disk;
mod funnel;
mod hostile_answers;
mod hostile_peers;
mod lost_bus;
mod memory;
mod poisoned_index;
mod reflection;
mod restart;
mod stale_index;
mod table;
mod victim;

/// Prints a row of the table of faults, which `make faults` gathers: what was done to the registry, and what came of it.
fn told(fault: &str, figures: &str) {
    println!("\nfault: {fault:<46} {figures}");
}
