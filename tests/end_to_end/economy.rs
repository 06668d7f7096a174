//! Tests the economy operations. Their numbers come from measurements and are the same over every protocol.

pub(crate) mod costs;
mod numbers;
