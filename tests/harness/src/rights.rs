//! The rights of each function on AWS: which partitions of the table it may read and write. A test writes the policies
//! in `infra/template.yaml` from [`RIGHTS`]. The end-to-end tests refuse every access that is not in [`RIGHTS`], and name the
//! missing line.

/// A kind of access that a policy distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    Read,
    /// A condition of a transaction on an item that the transaction does not change.
    Check,
    Put,
    Update,
    Delete,
    /// A query of the index `gsi1`, which contains whole items.
    Gsi1,
    /// A query of the index `gsi2`, which contains only keys.
    Gsi2,
}

impl Access {
    pub const ALL: [Self; 7] =
        [Self::Read, Self::Check, Self::Put, Self::Update, Self::Delete, Self::Gsi1, Self::Gsi2];

    /// The word in [`RIGHTS`].
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Check => "check",
            Self::Put => "put",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Gsi1 => "gsi1",
            Self::Gsi2 => "gsi2",
        }
    }

    /// The IAM actions that it needs.
    #[must_use]
    pub const fn actions(self) -> &'static [&'static str] {
        match self {
            Self::Read => &["dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:Query"],
            Self::Check => &["dynamodb:ConditionCheckItem"],
            Self::Put => &["dynamodb:PutItem"],
            Self::Update => &["dynamodb:UpdateItem"],
            Self::Delete => &["dynamodb:DeleteItem"],
            Self::Gsi1 | Self::Gsi2 => &["dynamodb:Query"],
        }
    }

    /// The index that is queried; none for the table itself.
    #[must_use]
    pub const fn index(self) -> Option<&'static str> {
        match self {
            Self::Gsi1 | Self::Gsi2 => Some(self.as_str()),
            _ => None,
        }
    }

    /// The access that an action on the table or on an index needs.
    #[must_use]
    pub fn of(action: &str, index: Option<&str>) -> Option<Self> {
        Self::ALL.into_iter().find(|access| access.index() == index && access.actions().contains(&action))
    }
}

/// Every right: the partitions, the kinds of access, the functions. A `*` at the end of a partition stands for any text.
/// No other right exists, so an item with a new key needs a line here. `UPDATE=1 cargo test -p tests template::`
/// then writes the policies.
pub const RIGHTS: &[(&str, &str, &str)] = &[
    ("ACTIVE#*", "gsi1", "listings products protocol a2a pages well-known search-index"),
    ("ADDRESS#*", "gsi2", "well-known"),
    ("ATTESTED#*", "read put update", "products protocol a2a"),
    ("ATTESTED#*", "read", "well-known"),
    ("BLOCKED", "read put delete", "operator"),
    ("BLOCKED", "read", "publish products protocol a2a probe-tick weekly-recheck daily-connector"),
    ("BUDGET#*", "read update", "probe-tick"),
    ("BUDGET#*", "read", "listings pages well-known"),
    ("CALLER_KEYS", "read put", "publish products talk protocol a2a well-known"),
    ("CHALLENGE#*", "read put delete", "publish products protocol a2a"),
    ("CHANGE#*", "read", "listings protocol a2a"),
    ("CHANGE#*", "put", "probe-tick weekly-recheck"),
    ("CHANGES", "read update", "probe-tick weekly-recheck"),
    ("CHANGES", "read", "listings protocol a2a"),
    ("CHANGES#PENDING", "read put delete", "probe-tick weekly-recheck"),
    ("CHANGES#PENDING", "put", "publish products protocol a2a operator daily-connector"),
    ("CLOCK", "update", "probe-tick"),
    ("CLOCK", "read", "listings pages well-known"),
    ("CODE#*", "read put update delete", "products protocol a2a"),
    ("CODE#*", "delete", "operator"),
    ("CODE#*", "update", "payment-webhook"),
    ("COLLECTIONS", "read put delete", "products protocol a2a"),
    ("COLLECTIONS", "read", "listings"),
    ("CONNECTOR", "read put update", "daily-connector"),
    ("CONNECTOR", "read put", "products protocol a2a"),
    ("CONTACT#*", "delete", "probe-tick operator"),
    ("CONTACT#*", "read", "operator"),
    ("CONTACT#*", "update", "publish products protocol a2a"),
    ("DAY#*", "update", "probe-tick weekly-recheck"),
    ("DAY#*", "read", "listings products protocol a2a pages well-known"),
    ("DUE#*", "gsi2", "listings pages well-known probe-tick weekly-recheck"),
    ("DUMP#*", "put", "daily-connector"),
    ("DUMP#*", "read", "well-known"),
    ("DUMPS", "read put update delete", "daily-connector"),
    ("DUMPS", "read", "well-known"),
    ("ECONOMY", "read put", "probe-tick"),
    ("ECONOMY", "read", "products protocol a2a pages"),
    ("ECONOMY#BUMPS", "read update", "products protocol a2a"),
    ("ECONOMY#BUMPS", "read", "listings probe-tick daily-connector"),
    ("EDGES", "gsi2", "products protocol a2a"),
    ("EDGES#*", "gsi1", "products protocol a2a pages"),
    ("ENDPOINT#*", "read update delete", "probe-tick weekly-recheck"),
    ("ENDPOINT#*", "read delete", "products protocol a2a"),
    ("ENDPOINT#*", "read", "listings daily-connector"),
    ("ENDPOINT#*", "read delete", "publish"),
    ("ENDPOINT#*", "delete", "operator"),
    ("FALLEN#mcp", "read", "listings"),
    ("FALLEN#mcp", "put", "publish products protocol a2a probe-tick weekly-recheck operator"),
    ("FEDERATION", "read put", "products protocol a2a daily-connector"),
    ("FEDERATION", "read", "listings well-known"),
    ("FEED", "read", "listings"),
    (
        "FEED",
        "put",
        "publish products payment-webhook protocol a2a probe-tick weekly-recheck daily-connector operator",
    ),
    ("FEEDBACK#*", "read update delete", "operator"),
    ("FEEDBACK#*", "read put update", "products protocol a2a"),
    ("FLAGGED", "read", "probe-tick operator"),
    ("FLAGGED", "put", "payment-webhook"),
    ("GATED", "gsi1", "search-index"),
    ("GITHUB#*", "read put", "publish products protocol a2a"),
    ("HOST#*", "read put delete", "operator"),
    ("HOST#*", "read", "listings"),
    ("HOST#*", "put delete", "publish products protocol a2a probe-tick weekly-recheck daily-connector"),
    ("IMPORTS", "read put", "daily-connector"),
    ("INBOX#*", "read put", "talk protocol a2a"),
    ("INBOX#*", "read", "products"),
    ("INBOX#*", "delete", "operator"),
    ("INBOX#*", "read put delete", "probe-tick"),
    ("INBOX#*", "put", "weekly-recheck daily-connector"),
    ("INDEX", "read update", "search-index"),
    ("INDEX", "read", "listings products protocol a2a pages well-known daily-connector"),
    ("INDEX#*", "read put delete", "search-index"),
    ("INDEX#*", "read", "listings products protocol a2a pages well-known daily-connector"),
    ("INDEX#CHANGED", "read put delete", "search-index"),
    ("INDEX#CHANGED", "read", "probe-tick"),
    (
        "INDEX#CHANGED",
        "put",
        "publish products protocol a2a probe-tick weekly-recheck daily-connector operator",
    ),
    ("KEY#ES256", "read put", "products protocol a2a well-known"),
    ("KEY#LOG", "read put", "probe-tick weekly-recheck"),
    ("KEY#MESSAGE", "read put", "well-known probe-tick weekly-recheck"),
    ("LISTING#*", "read put update delete", "probe-tick"),
    ("LISTING#*", "read check put update", "products protocol a2a"),
    ("LISTING#*", "read check update", "talk"),
    ("LISTING#*", "read put update", "publish weekly-recheck daily-connector"),
    ("LISTING#*", "read update", "operator"),
    ("LISTING#*", "read", "listings pages well-known search-index"),
    ("LIVE", "read update", "products protocol a2a probe-tick weekly-recheck"),
    ("LIVE", "update", "publish talk daily-connector operator"),
    ("LIVE", "read", "listings pages well-known daily-connector"),
    ("LOG#ATTESTED", "read delete", "probe-tick weekly-recheck"),
    ("LOG#ATTESTED", "put", "products protocol a2a"),
    ("LOG#BATCH", "read put", "probe-tick weekly-recheck"),
    ("LOG#BATCH", "read", "products protocol a2a well-known"),
    ("LOG#BATCHES", "read update", "probe-tick weekly-recheck"),
    ("LOG#KEY", "read delete", "probe-tick weekly-recheck"),
    ("LOG#KEY", "put", "operator"),
    ("LOG#LEAVES", "read", "protocol a2a well-known"),
    ("LOG#LEAVES", "put", "probe-tick weekly-recheck"),
    ("LOG#PENDING", "read put delete", "probe-tick weekly-recheck"),
    ("LOG#PENDING", "put", "publish products protocol a2a daily-connector operator"),
    ("LOG#TREE", "read put update", "probe-tick weekly-recheck"),
    ("LOG#TREE", "read", "protocol a2a pages well-known operator daily-connector"),
    ("LOG#UNREADABLE", "read put", "probe-tick weekly-recheck"),
    ("LOG#WITNESSED", "read put", "probe-tick weekly-recheck"),
    ("LOG#WITNESSED", "read", "pages well-known"),
    ("LOG#tile/*", "read put", "probe-tick weekly-recheck"),
    ("LOG#tile/*", "read", "protocol a2a well-known"),
    ("MARKS", "gsi1", "products protocol a2a"),
    ("NAME#*", "read put delete", "publish products protocol a2a daily-connector"),
    ("NAME#*", "put delete", "probe-tick weekly-recheck operator"),
    ("NAME#*", "read", "listings"),
    ("ORDER#*", "read put update", "products protocol a2a"),
    ("OUTCOME#*", "read put update", "products protocol a2a"),
    ("OUTCOME#*", "read", "listings pages"),
    ("OUTCOME#*", "read delete", "probe-tick"),
    ("OUTCOMES", "read put", "products protocol a2a"),
    ("OUTCOMES", "delete", "operator"),
    ("OUTREACH", "read update", "daily-connector"),
    ("OUTREACH", "read", "products protocol a2a"),
    ("OUTREACH#*", "read update gsi2", "products protocol a2a daily-connector"),
    ("OUTREACH#*", "update", "publish talk probe-tick weekly-recheck operator"),
    ("PAYMENT#*", "read put", "payment-webhook"),
    ("PACKAGES", "gsi1", "listings search-index"),
    ("PROBED#*", "gsi1", "listings pages well-known"),
    ("PROBING#*", "update", "probe-tick weekly-recheck"),
    ("PURCHASE#*", "read put update delete", "products protocol a2a"),
    ("PURCHASE#*", "read update", "payment-webhook operator"),
    ("RATE#*", "update", "publish products protocol a2a"),
    ("RATE#talk#*", "update", "talk"),
    ("RATE#dump#*", "update", "well-known"),
    ("REPORTS", "read delete", "operator"),
    ("REPORTS", "put", "publish protocol a2a"),
    ("SCORED#*", "put", "publish protocol a2a"),
    ("SCORED#*", "read", "pages"),
    ("SEAT#*", "delete", "operator"),
    ("SEAT#*", "put", "products protocol a2a"),
    ("SEEN#*", "read put delete", "probe-tick weekly-recheck"),
    ("SEEN#*", "read delete", "products protocol a2a operator"),
    ("SEEN#*", "read", "listings pages well-known"),
    ("SESSION#*", "read put update", "products protocol a2a"),
    ("SESSION#*", "read delete", "operator"),
    ("SESSIONS", "read update", "products protocol a2a"),
    ("SLOT#*", "put", "probe-tick weekly-recheck"),
    ("TALK", "read put", "talk"),
    ("TALK", "put", "protocol a2a"),
    ("TALK", "delete", "operator"),
    ("TASK#*", "read update", "a2a"),
    ("TASK#*", "delete", "operator"),
    ("TASKOF#*", "read update", "a2a"),
    ("TASKOF#*", "delete", "operator"),
    ("TASKS#*", "read put delete", "a2a"),
    ("TASKS#*", "delete", "operator"),
    ("TOKEN#*", "read put update delete", "products protocol a2a"),
    ("TOKEN#*", "put update", "payment-webhook"),
    ("TOKEN#*", "update", "operator"),
    ("TOUCHES", "put update", "daily-connector"),
    ("TOUCHES", "read", "products protocol a2a"),
    ("TRACED#*", "read update", "products protocol a2a"),
    ("TRAIL#*", "read put update delete", "products protocol a2a"),
    ("TRAIL#*", "read update delete", "probe-tick"),
    ("TRAIL#*", "update delete", "operator"),
    ("TRAIL#*", "read update", "publish listings weekly-recheck daily-connector"),
    ("TRAIL#*", "read", "pages"),
    ("TRAILS", "read update", "listings products protocol a2a probe-tick"),
    ("TRAILS", "update", "publish weekly-recheck daily-connector"),
    ("TRAILS", "read", "daily-connector"),
    ("TRAILS#dangerous", "gsi2", "products protocol a2a"),
    ("TRAILS#demand", "gsi2", "products protocol a2a"),
    ("TRAILS#hot", "gsi1", "products protocol a2a"),
    ("WEEK#*", "update", "probe-tick weekly-recheck"),
    ("WEEK#*", "read", "listings pages well-known"),
];

/// Whether `partition` is one of `partitions`, as in the condition `StringLike` of a policy.
fn is_like(partition: &str, partitions: &str) -> bool {
    match partitions.strip_suffix('*') {
        Some(prefix) => partition.starts_with(prefix),
        None => partition == partitions,
    }
}

/// The partitions to which a function has a kind of access, in alphabetical order.
#[must_use]
pub fn partitions(function: &str, access: Access) -> Vec<&'static str> {
    let has = |words: &str, word: &str| words.split(' ').any(|other| other == word);
    let rows =
        RIGHTS.iter().filter(|(_, kinds, functions)| has(kinds, access.as_str()) && has(functions, function));
    let mut partitions: Vec<&str> = rows.map(|(partitions, ..)| *partitions).collect();
    partitions.sort_unstable();
    partitions.dedup();
    partitions
}

/// The entry of [`RIGHTS`] that allows an access.
#[must_use]
pub fn permits(function: &str, access: Access, partition: &str) -> Option<&'static str> {
    partitions(function, access).into_iter().find(|partitions| is_like(partition, partitions))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_contain_only_known_kinds_of_access() {
        for (partitions, kinds, functions) in RIGHTS {
            for kind in kinds.split(' ') {
                assert!(Access::ALL.iter().any(|access| access.as_str() == kind), "{partitions}: {kind}");
            }
            assert!(!functions.is_empty() && !partitions.is_empty());
            let text = partitions.strip_suffix('*').unwrap_or(partitions);
            assert!(!text.is_empty() && !text.contains(['*', '?']), "{partitions} is not a key or a prefix");
        }
    }

    #[test]
    fn actions_of_an_index_need_the_right_for_that_index() {
        assert_eq!(Access::of("dynamodb:Query", Some("gsi1")), Some(Access::Gsi1));
        assert_eq!(Access::of("dynamodb:Query", None), Some(Access::Read));
        assert_eq!(Access::of("dynamodb:Scan", None), None);
        assert_eq!(Access::of("dynamodb:GetItem", Some("gsi1")), None);
    }

    #[test]
    fn partition_without_a_star_is_exact() {
        assert!(is_like("LIVE", "LIVE") && !is_like("LIVE#x", "LIVE"));
        assert!(is_like("TOKEN#x", "TOKEN#*") && !is_like("TOKENS", "TOKEN#*"));
    }
}
