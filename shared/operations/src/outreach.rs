//! Operations on outreach (messages to listings that did not ask for them). They cover invitations to the
//! demo, connectors (listings that connect other listings), opting out, and links for other directories.

pub mod agentfinder;
pub mod conversion_pressure;
pub mod daily_connector;
pub mod demo_nudge;
pub mod list_connectors;
pub mod outreach_opt_out;
pub mod reply_capture;
