//! What fails beneath the registry or is hostile towards it, and what each request costs there.

mod costs;
mod funnel;
mod hostile_answers;
mod hostile_peers;
mod memory;
mod reflection;
mod restart;
mod table;
