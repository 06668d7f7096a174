//! The funnel: the steps of a Live listing to a product. The steps are demo, feedback and reward (a founding
//! seat or a discount code). This module contains the rules. The counters are in the table. Everything else
//! is computed when it is shown.

mod access;
mod demo;
pub mod demo_confirm;
mod feedback;
mod feedback_draft;
mod feedback_form;
pub mod get_access;
pub mod get_founding_deal;
mod goals;
pub mod leave_feedback;
mod offer;
mod profile;
mod reward;
pub mod take_demo;
mod unlock;

pub use access::{Confirmed, Opened, confirm, open};
pub use demo::{Demo, DemoRequest, ListingRef, demo};
pub(crate) use feedback::conflict;
pub use feedback::give;
pub use feedback_draft::{FeedbackDraft, Question};
pub(crate) use feedback_form::secret;
pub use feedback_form::{DRAFT_RATING, GivenFeedback, draft};
pub use goals::Goals;
pub use offer::{Deal, ListingDeal, Stage, TakeDemo, deal, demo_offer, listing_deal, seat_holder, stages};
pub use profile::{of_description as profile_of_description, of_listing as profile_of_listing};
pub use reward::{DISCOUNT_PERCENT, FeedbackGiven, Rewarded, reclaim};
pub use unlock::{Unlock, rewarded, unlock};

crate::operation::operations! {
    GET_FOUNDING_DEAL in "products" = get_founding_deal::GetFoundingDeal,
    TAKE_DEMO in "products" = take_demo::TakeDemo,
    LEAVE_FEEDBACK in "products" = leave_feedback::LeaveFeedback,
    DEMO_CONFIRM in "products" = demo_confirm::DemoConfirm,
    GET_ACCESS in "products" = get_access::GetAccess,
}
