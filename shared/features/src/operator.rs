//! The decisions of the operator. The operations that require the operator's token are in the features that they act on.

pub mod takedown;
