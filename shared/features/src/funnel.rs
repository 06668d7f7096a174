//! The funnel: the steps of a Live listing to a product. The steps are demo, feedback and reward (a founding
//! seat or a discount code). This module contains the rules. The counters are in the table. Everything else
//! is computed when it is shown.

mod access;
mod demo;
mod feedback;
mod goals;
mod offer;
pub mod operations;
mod profile;
mod reward;

pub use access::{Confirmed, OPENING_REFUSALS, Opened, confirm, open};
pub use demo::{Demo, DemoRequest, ListingRef, demo};
pub use feedback::{DRAFT_RATING, FeedbackDraft, GivenFeedback, Question, draft, give};
pub(crate) use feedback::{conflict, secret};
pub use goals::Goals;
pub use offer::{
    Deal, ListingDeal, Stage, TakeDemo, Unlock, deal, demo_offer, listing_deal, rewarded, seat_holder,
    stages, unlock,
};
pub use profile::{profile_of_description, profile_of_listing};
pub use reward::{DISCOUNT_PERCENT, FeedbackGiven, Rewarded, reclaim};
