//! What fails beneath the registry, and what each request costs there.

mod costs;
mod restart;
mod table;
