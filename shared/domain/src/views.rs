//! How a listing is shown: as a row of the active list, as a search hit in short form, or as a badge. Each
//! view is computed from the stored listing when it is read, so the table stays small.

pub mod active_page;
pub mod badge;
pub mod connectors;
mod feedback_draft;
mod liveness;
mod log_place;
mod namespace;
mod peer;
mod registry;
pub mod row;
pub mod server_entry;
pub mod tools;
pub mod trail;
pub mod urn;

pub use feedback_draft::{FeedbackDraft, Question};
pub use liveness::{Liveness, LivenessState, is_clean};
pub use log_place::{LogPlace, entry_url};
pub use namespace::Namespace;
pub use peer::Peer;
pub use registry::{OWN_DESCRIPTION, OwnServerDescription, ProductEntry, tagline};
pub use row::{NameStanding, ProbeSummary, Row, Standing, hours};
pub use server_entry::{Server, ServerEvidence, ServerResponse};
