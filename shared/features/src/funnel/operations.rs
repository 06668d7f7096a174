//! The operations of the funnel.

pub mod demo_confirm;
pub mod get_access;
pub mod get_founding_deal;
pub mod leave_feedback;
pub mod take_demo;

crate::operation::operations! {
    GET_FOUNDING_DEAL in "products" = get_founding_deal::GetFoundingDeal,
    TAKE_DEMO in "products" = take_demo::TakeDemo,
    LEAVE_FEEDBACK in "products" = leave_feedback::LeaveFeedback,
    DEMO_CONFIRM in "products" = demo_confirm::DemoConfirm,
    GET_ACCESS in "products" = get_access::GetAccess,
}
