//! What fails beneath the registry or is hostile towards it, and what each request costs there.

mod costs;
mod hostile_peers;
mod reflection;
mod restart;
mod table;
