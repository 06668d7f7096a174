//! Listings as they are shown: the row of the active list, the short form of a hit, a badge. Derived from the stored
//! listing on each read, so that the table stays small.

pub mod active_page;
pub mod badge;
pub mod connectors;
mod feedback_draft;
pub mod inbox_cursor;
mod log_place;
mod name_standing;
mod next_step;
mod own_server_name;
mod peer;
mod product_entry;
pub mod row;
mod tagline;
pub mod time_cursor;
pub mod trail;
pub mod urn;

pub use feedback_draft::{FeedbackDraft, Question};
pub use log_place::{LogPlace, entry_url};
pub use name_standing::{NameStanding, Standing};
pub use next_step::{NextStep, POLL_SECONDS};
pub use own_server_name::own_server_name;
pub use peer::Peer;
pub use product_entry::ProductEntry;
pub use row::{ProbeSummary, Row, hours};
pub use tagline::tagline;
