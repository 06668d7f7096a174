//! The operations of outreach.

pub mod agentfinder;
pub mod conversion_pressure;
pub mod daily_connector;
pub mod demo_nudge;
pub mod list_connectors;
pub mod outreach_opt_out;
pub mod reply_capture;

crate::operation::operations! {
    DAILY_CONNECTOR in "outreach" = daily_connector::DailyConnector,
    LIST_CONNECTORS in "outreach" = list_connectors::ListConnectors,
    DEMO_NUDGE in "outreach" = demo_nudge::DemoNudge,
    OUTREACH_OPT_OUT in "outreach" = outreach_opt_out::OutreachOptOut,
    CONVERSION_PRESSURE in "outreach" = conversion_pressure::ConversionPressure,
    REPLY_CAPTURE in "outreach" = reply_capture::ReplyCapture,
    AGENTFINDER in "outreach" = agentfinder::AgentFinder,
}
