//! Operations on the funnel: the demo, feedback, and the reward for feedback.

pub mod demo_confirm;
pub mod get_access;
pub mod get_founding_deal;
pub mod leave_feedback;
pub mod take_demo;
