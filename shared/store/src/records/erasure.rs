//! Erases what people sent about a listing, what mentions an e-mail address, or one public text. This request reads
//! the whole table: tasks and sessions have random keys, so nothing else finds them. The operator erases rarely.
//!
//! Also deletes what earlier versions stored for features that no longer exist: subscriptions with their addresses, and the
//! credentials that owners gave for probes. These items have no time to live.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue;

use super::economy::OUTCOME;
use super::funnel::{FEEDBACK, FEEDBACK_TEXT};
use super::inbox::MESSAGE;
use super::listings::CONTACT;
use super::reports::REPORT;
use super::seen::TOOL_SET;
use super::sessions::SESSION;
use super::tasks;
use super::traces::MARK;
use crate::prelude::*;
use registry_model::{Completion, Feedback};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Erased {
    /// What was sent about this listing.
    Listing(ListingId),
    /// What contains this e-mail address, in any case.
    Email(String),
    /// The public text with this id: a Talk message, a mark or the comment of an outcome.
    PublicText(String),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErasureReport {
    pub contacts: u32,
    pub feedback: u32,
    pub tasks: u32,
    pub sessions: u32,
    pub reports: u32,
    /// Talk messages, marks and reported outcomes.
    pub public_texts: u32,
    /// Tools, prompts, resources and evidence that probes read.
    pub seen: u32,
    /// Where the next call begins; `None` when the whole table was read.
    pub next: Option<String>,
}

/// While one of these partitions exists, the table can contain such items.
const MARKERS: [&str; 2] = ["KEY#CREDENTIAL", "SUBSCRIPTIONS"];

/// Pages of the table, of at most 1 MB each, that one call reads. The function must end within a minute.
const PAGES_PER_CALL: u32 = 20;

/// The kinds of items in which people write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PersonalItem {
    Contact,
    Feedback,
    Task,
    Session,
    Report,
    PublicText,
    Seen,
}

/// The attributes that contain a public text of a caller.
const PUBLIC_TEXTS: [&str; 3] = [MESSAGE.attribute, MARK.attribute, OUTCOME.attribute];

impl PersonalItem {
    fn of(pk: &str, item: &Item) -> Option<Self> {
        if PUBLIC_TEXTS.iter().any(|name| item.contains_key(*name)) {
            return Some(Self::PublicText);
        }
        let prefixes = [
            (CONTACT.prefix, Self::Contact),
            (FEEDBACK.prefix, Self::Feedback),
            (tasks::TASK.prefix, Self::Task),
            (tasks::CLIENT_TASK.prefix, Self::Task),
            (SESSION.prefix, Self::Session),
            (REPORT.prefix, Self::Report),
            (TOOL_SET.prefix, Self::Seen),
        ];
        prefixes.into_iter().find(|(prefix, _)| pk.starts_with(prefix)).map(|(_, kind)| kind)
    }
}

impl Erased {
    fn is_mentioned_in(&self, item: &Item) -> bool {
        let texts = item.iter().filter_map(|(name, value)| match value {
            AttributeValue::S(text) if name != "sk" => Some(text.as_str()),
            _ => None,
        });
        match self {
            Self::Listing(id) => texts.into_iter().any(|text| mentions(text, id.as_str())),
            Self::Email(email) => {
                let email = email.to_lowercase();
                texts.into_iter().any(|text| mentions(&text.to_lowercase(), &email))
            }
            Self::PublicText(id) => {
                let is_public = PUBLIC_TEXTS.iter().any(|name| item.contains_key(*name));
                is_public && texts.into_iter().any(|text| mentions(text, id))
            }
        }
    }
}

/// Whether a text contains a word, and not only as a part of a longer id or address.
fn mentions(text: &str, word: &str) -> bool {
    let continues = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        // In JSON, a line break is written as `\n`, so the letter before can belong to it.
        let is_escaped = text[..at].len() >= 2 && text.as_bytes()[at - 2] == b'\\';
        (is_escaped || !before.is_some_and(|c| continues(c) || matches!(c, '.' | '+' | '%')))
            && !after.is_some_and(continues)
    })
}

impl Store {
    /// Erases data in a part of the table, which begins after `after`. Repeat the call while the report contains `next`.
    pub async fn erase(&self, whose: &Erased, after: Option<&str>) -> Result<ErasureReport> {
        let mut report = ErasureReport { next: after.map(str::to_owned), ..ErasureReport::default() };
        for _ in 0..PAGES_PER_CALL {
            let (items, next) = self.scan(report.next.as_deref()).await?;
            for item in &items {
                self.erase_item(whose, item, &mut report).await?;
            }
            report.next = next;
            if report.next.is_none() {
                break;
            }
        }
        Ok(report)
    }

    /// Deletes the items of features that no longer exist, and returns their number. Reads the whole table, but only if it
    /// contains such items.
    pub async fn delete_retired_items(&self) -> Result<usize> {
        let mut is_needed = false;
        for marker in MARKERS {
            is_needed |= !self.query(Query::of(marker).limit(1).strong()).await?.items.is_empty();
        }
        let (mut found, mut after) = (Vec::new(), None);
        while is_needed {
            let (items, next) = self.scan_up_to(None, after).await?;
            found.extend(items.iter().map(Key::of).filter(|key| is_retired(&key.pk)));
            is_needed = next.is_some();
            after = next;
        }
        // The markers last: after a crash, the next start continues.
        found.sort_by_key(|key| MARKERS.contains(&key.pk.as_str()));
        for key in &found {
            self.delete(key).await?;
        }
        Ok(found.len())
    }

    async fn erase_item(&self, whose: &Erased, item: &Item, report: &mut ErasureReport) -> Result<()> {
        let key = Key::of(item);
        let Some(kind) = PersonalItem::of(&key.pk, item).filter(|_| whose.is_mentioned_in(item)) else {
            return Ok(());
        };
        match kind {
            PersonalItem::Contact => report.contacts += u32::from(self.delete(&key).await?),
            PersonalItem::Report => report.reports += u32::from(self.delete(&key).await?),
            // What the server itself offers is not what people sent about it.
            PersonalItem::Seen if matches!(whose, Erased::Listing(_)) => {}
            PersonalItem::Seen => report.seen += u32::from(self.delete(&key).await?),
            PersonalItem::PublicText => report.public_texts += u32::from(self.delete(&key).await?),
            PersonalItem::Feedback if key.sk == FEEDBACK_TEXT.sort => {
                report.feedback += u32::from(self.delete(&key).await?);
            }
            PersonalItem::Feedback => report.feedback += u32::from(self.erase_old_texts(key, item).await?),
            PersonalItem::Task => {
                let mut transaction = Transaction::default();
                transaction.delete(key);
                if let Some(row) = tasks::task_row_key(item) {
                    transaction.delete(row);
                }
                self.transact(transaction).await?;
                report.tasks += 1;
            }
            PersonalItem::Session => {
                for item in self.partition(&key.pk).await? {
                    let step = Key::of(&item);
                    let is_head = step.sk == SESSION.sort;
                    report.sessions += u32::from(self.delete(&step).await? && is_head);
                }
            }
        }
        Ok(())
    }

    /// Removes the texts from a completion that an earlier version stored with them.
    async fn erase_old_texts(&self, key: Key, item: &Item) -> Result<bool> {
        let completion = FEEDBACK.read(item)?;
        let feedback = Feedback { answers: BTreeMap::new(), body: None, ..completion.feedback.clone() };
        if feedback == completion.feedback {
            return Ok(false);
        }
        let before = item.get(FEEDBACK.attribute).cloned().unwrap_or_else(|| AttributeValue::Null(true));
        let (name, value) = FEEDBACK.value(&Completion { feedback, ..completion })?;
        self.change(key, Expression::default().set(name, value).if_equal(name, before)).await
    }
}

fn is_retired(partition: &str) -> bool {
    MARKERS.contains(&partition)
        || partition.starts_with("SUBSCRIPTIONS#")
        || partition.starts_with("CREDENTIAL#")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mention_is_a_whole_id_or_address() {
        for text in ["mcp-a", "about mcp-a.", r#"{"id":"mcp-a"}"#, r"one\nmcp-a", "LISTING#mcp-a"] {
            assert!(mentions(text, "mcp-a"), "{text}");
        }
        for text in ["mcp-ab", "x-mcp-a", "mcp-a-b", "mcp_a", ""] {
            assert!(!mentions(text, "mcp-a"), "{text}");
        }
        assert!(mentions("<ann@x.org>", "ann@x.org") && !mentions("joann@x.org", "ann@x.org"));
        assert!(!mentions("ann@x.org.uk".trim_end_matches(".uk"), "n@x.org"));
    }
}
