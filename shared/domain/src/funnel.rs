//! The funnel that every Live listing is led through: Live, demo, feedback, founding seat or discount, product. Rules
//! here, counters in the table; what can be derived is derived when it is shown.

mod access;
mod confirm;
mod deal;
mod demo;
mod feedback;
mod feedback_form;
mod peers;
mod profile;
mod reward;
mod stages;
mod take_demo;
mod unlock;

pub use access::{Opened, open};
pub use confirm::{Confirmed, confirm};
pub use deal::{Deal, deal};
pub use demo::{Demo, Wanted, Which, demo, few_goals, goals};
pub use feedback::give;
pub use feedback_form::{DRAFT_RATING, GivenFeedback, draft};
pub use peers::listings as peer_listings;
pub use profile::{of_description as profile_of_description, of_listing as profile_of_listing};
pub use reward::{DISCOUNT_PERCENT, FeedbackGiven, Rewarded};
pub use stages::{Stage, stages};
pub use take_demo::{ListingDeal, TakeDemo, listing_deal, take_demo};
pub use unlock::{Unlock, unlock};
