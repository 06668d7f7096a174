//! Outreach (`specification.md#outreach`): the registry contacts Live listings without a request from them. It sends
//! invitations to the demo, and a message to the connector of the day (a listing that connects other listings).
//! Messages go to Talk inboxes. Agents also receive an A2A message, but only if the operator has enabled this. The job
//! runs every hour and does what is still missing for the day: first the connector, then the invitations.

pub mod a2a_delivery;
pub mod budget;
pub mod connector_day;
pub mod connectors;
pub mod invitations;
pub mod likeness;
pub mod operations;
pub mod texts;

use futures::future::BoxFuture;

use self::invitations::Sent;
use crate::prelude::*;
use registry_store::{OutreachClass, StoreError};

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DayReport {
    pub day: String,
    /// The partner of the day; `None` on a research day.
    pub connector: Option<String>,
    pub connector_touched: bool,
    pub invited: u32,
    /// Listings that were due for an invitation, but could not be invited and were moved to a later day.
    pub moved: u32,
    pub a2a_delivered: u32,
    pub a2a_failed: u32,
}

/// Allows messages to a listing again; false if it had not opted out. The pause after the last message stays.
pub async fn opt_in(app: &App, listing: &Listing) -> Result<bool, StoreError> {
    let now = app.clock.now();
    let states = app.store.outreach_states(std::slice::from_ref(&listing.id)).await?;
    let touched_at = states.into_iter().next().and_then(|(_, state)| state.touched_at);
    let class = if touched_at.is_some() { OutreachClass::Again } else { OutreachClass::New };
    let from = touched_at.map_or(now, |at| (at + app.settings.outreach_pause()).max(now));
    app.store.opt_in(&listing.id, class, from, listing.lane == Lane::Active).await
}

/// Runs what is left of this day. Boxed, because otherwise it would be compiled again in each crate that calls it. On
/// an error, what was sent stays sent, and the next run does the rest.
pub fn run(app: &App) -> BoxFuture<'_, Result<DayReport, StoreError>> {
    Box::pin(async move {
        let (today, _) = connector_day::days(app).await?;
        let connector = connector_day::touch(app, &today).await?;
        let mut sent = Sent::default();
        let ended = invitations::send(app, &mut sent).await;
        let Sent { mut touched, moved } = sent;
        let invited = u32::try_from(touched.len()).unwrap_or(u32::MAX);
        let connector_touched = connector.is_some();
        touched.extend(connector);
        let deliveries = a2a_delivery::deliver(app, touched).await;
        ended?;
        app.store.note_outreach_run(app.clock.now()).await?;
        Ok(DayReport {
            day: today.pick.day,
            connector: today.pick.partner.map(|partner| partner.id.to_string()),
            connector_touched,
            invited,
            moved,
            a2a_delivered: deliveries.delivered,
            a2a_failed: deliveries.failed,
        })
    })
}
