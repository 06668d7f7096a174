//! What every HTTP function shares: reading arguments, answering problems, request ids, conditional answers.
//! A function's router holds its routes only; [`finish`] puts the same walls around each.

mod arguments;
mod cached;
mod caller;
mod enclosed;
mod layers;

pub use arguments::{Body, Query, RawBody, arguments};
pub use cached::{PageCache, Remembered, Validator, etag_of};
pub use caller::{Caller, CallerAddress};
pub use enclosed::Enclosed;
pub use layers::finish;
