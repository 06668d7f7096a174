//! State of the scheduled tick: which slots are taken, and how the last sweep went. A slot is a span of time that is
//! taken once, because "now minus last" would skip ticks under the scheduler's jitter.

use serde::{Deserialize, Serialize};

use super::attributes::{Item, n, number, s, text};
use super::client::Store;
use super::error::StoreError;
use super::expression::Expression;
use super::keys::Key;
use registry_model::Moment;

/// How the latest sweep went, and how many there were.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TickReport {
    /// When the last tick ended.
    pub last_tick_at: Option<Moment>,
    /// When a tick last found an `ok`.
    pub last_ok_tick_at: Option<Moment>,
    /// The listing it probed last.
    pub last_probed: Option<String>,
    /// That probe's outcome.
    pub last_result: Option<String>,
    /// How many probes it spent.
    pub last_used: u32,
    /// Ticks so far.
    pub ticks: u32,
}

fn report_key() -> Key {
    Key::new("CLOCK", "TICK")
}

impl Store {
    /// Takes a slot of the cadence; false where another delivery of the same tick already has it.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn take_slot(&self, job: &str, slot: i64, now: Moment) -> Result<bool, StoreError> {
        let mut item = Key::new(format!("SLOT#{job}#{slot}"), "SLOT").item();
        item.insert("ttl".to_owned(), n(now.as_second() + 86_400));
        self.put_once(item).await
    }

    /// Notes how a sweep went.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn note_tick(
        &self,
        last: Option<(&str, &str)>,
        any_ok: bool,
        used: u32,
        now: Moment,
    ) -> Result<(), StoreError> {
        let mut note = Expression::default()
            .set("last_tick_at", s(now.to_string()))
            .set("last_used", n(used))
            .add("ticks", 1);
        if any_ok {
            note = note.set("last_ok_tick_at", s(now.to_string()));
        }
        if let Some((probed, result)) = last {
            note = note.set("last_probed", s(probed)).set("last_result", s(result));
        }
        self.client
            .update_item()
            .table_name(&*self.table)
            .set_key(Some(report_key().item()))
            .update_expression(note.update())
            .set_expression_attribute_names(note.names())
            .set_expression_attribute_values(note.values())
            .send()
            .await?;
        Ok(())
    }

    /// How the latest sweep went.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn tick_report(&self) -> Result<TickReport, StoreError> {
        let answer =
            self.client.get_item().table_name(&*self.table).set_key(Some(report_key().item())).send().await?;
        let item: Item = answer.item.unwrap_or_default();
        let time = |name| text(&item, name).parse().ok();
        let word = |name| Some(text(&item, name).to_owned()).filter(|word| !word.is_empty());
        Ok(TickReport {
            last_tick_at: time("last_tick_at"),
            last_ok_tick_at: time("last_ok_tick_at"),
            last_probed: word("last_probed"),
            last_result: word("last_result"),
            last_used: u32::try_from(number(&item, "last_used")).unwrap_or(0),
            ticks: u32::try_from(number(&item, "ticks")).unwrap_or(0),
        })
    }
}
