//! Deletes what earlier versions stored for features that no longer exist: subscriptions with their addresses, and the
//! credentials that owners gave for probes. These items have no time to live.

use crate::table::prelude::*;

/// While one of these partitions exists, the table can contain such items.
const MARKERS: [&str; 2] = ["KEY#CREDENTIAL", "SUBSCRIPTIONS"];

fn is_retired(partition: &str) -> bool {
    MARKERS.contains(&partition)
        || partition.starts_with("SUBSCRIPTIONS#")
        || partition.starts_with("CREDENTIAL#")
}

impl Store {
    /// Returns the number of deleted items. Reads the whole table, but only if it contains such items.
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
}
