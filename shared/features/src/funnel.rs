//! The funnel: the steps of a Live listing to a product. The steps are demo, feedback and reward (a founding
//! seat or a discount code). This module contains the rules. The counters are in the table. Everything else
//! is computed when it is shown.

mod access;
mod demo;
mod feedback;
mod feedback_draft;
mod feedback_form;
mod goals;
mod offer;
pub mod operations;
mod profile;
mod reward;
mod unlock;

pub use access::{Confirmed, OPENING_REFUSALS, Opened, confirm, open};
pub use demo::{Demo, DemoRequest, ListingRef, demo};
pub use feedback::give;
pub use feedback_draft::{FeedbackDraft, Question};
pub(crate) use feedback_form::secret;
pub use feedback_form::{DRAFT_RATING, GivenFeedback, draft};
pub use goals::Goals;
pub use offer::{Deal, ListingDeal, Stage, TakeDemo, deal, demo_offer, listing_deal, seat_holder, stages};
pub use profile::{profile_of_description, profile_of_listing};
pub use reward::{DISCOUNT_PERCENT, FeedbackGiven, Rewarded, reclaim};
pub use unlock::{Unlock, rewarded, unlock};
