//! How listings are shown: the row of the active list, the short form of a search hit, a badge. Computed from
//! the stored listing on each read, so that the table stays small.

pub mod active_page;
pub mod badge;
pub mod connectors;
mod feedback_draft;
pub mod inbox_cursor;
mod log_place;
mod next_step;
mod peer;
mod registry;
pub mod row;
pub mod time_cursor;
pub mod trail;
pub mod urn;

pub use feedback_draft::{FeedbackDraft, Question};
pub use log_place::{LogPlace, entry_url};
pub use next_step::{NextStep, POLL_SECONDS};
pub use peer::Peer;
pub use registry::{ProductEntry, own_server_name, tagline};
pub use row::{NameStanding, ProbeSummary, Row, Standing, hours};
