//! Operations on outreach: invitations to demos, connectors, opting out, and links for other directories.

pub mod agentfinder;
pub mod conversion_pressure;
pub mod daily_connector;
pub mod demo_nudge;
pub mod list_connectors;
pub mod outreach_opt_out;
pub mod reply_capture;
