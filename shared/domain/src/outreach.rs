//! Outreach (contract "Events" 4, "Limits"): soft invitations to Live listings that were never written to, and the
//! connector of the day. Everything goes into Talk inboxes; nobody is called unless the operator turned that on.

pub mod a2a_delivery;
pub mod budget;
pub mod connector_day;
pub mod connectors;
pub mod invitations;
pub mod likeness;
pub mod run;
pub mod texts;

pub use run::{DayReport, run};
