//! The business rules of the registry.

pub mod economy;
pub mod evidence_log;
pub mod federation;
pub mod funnel;
pub mod interop;
pub mod outreach;
pub mod payments;
pub mod publish;
pub mod trust;
pub mod views;
