//! The rights of each function on AWS: which partitions of the table it may read and write. A test writes the policies
//! in `infra/template.yaml` from [`RIGHTS`], which are next to the records of the table. The end-to-end tests refuse every
//! access that is not in [`RIGHTS`], and name the missing line.

use std::sync::LazyLock;

use registry::model::string_enum;

string_enum! {
    /// A kind of access that a policy distinguishes, with its word in [`RIGHTS`].
    pub enum Access {
        Read = "read",
        /// A condition of a transaction on an item that the transaction does not change.
        Check = "check",
        Put = "put",
        Update = "update",
        Delete = "delete",
        /// A query of the index `gsi1`, which contains whole items.
        Gsi1 = "gsi1",
        /// A query of the index `gsi2`, which contains only keys.
        Gsi2 = "gsi2",
    }
}

impl Access {
    /// The IAM actions that it needs.
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
    pub const fn index(self) -> Option<&'static str> {
        match self {
            Self::Gsi1 | Self::Gsi2 => Some(self.as_str()),
            _ => None,
        }
    }

    /// The access that an action on the table or on an index needs.
    pub fn of(action: &str, index: Option<&str>) -> Option<Self> {
        Self::ALL.into_iter().find(|access| access.index() == index && access.actions().contains(&action))
    }
}

const TABLE: &str = include_str!("../../../shared/store/src/records/rights.tsv");

/// Every right, from `rights.tsv`: the partitions, the kinds of access, the functions. A `*` at the end of a partition stands
/// for any text. No other right exists, so an item with a new key needs a line there. `UPDATE=1 cargo test -p tests template::`
/// then writes the policies.
pub static RIGHTS: LazyLock<Vec<(&str, &str, &str)>> = LazyLock::new(|| {
    let row = |line: &'static str| {
        let (partitions, rest) = line.split_once('\t')?;
        let (kinds, functions) = rest.split_once('\t')?;
        Some((partitions, kinds, functions))
    };
    TABLE.lines().filter_map(row).collect()
});

/// Whether `partition` is one of `partitions`, as in the condition `StringLike` of a policy.
pub(crate) fn is_like(partition: &str, partitions: &str) -> bool {
    match partitions.strip_suffix('*') {
        Some(prefix) => partition.starts_with(prefix),
        None => partition == partitions,
    }
}

/// The partitions to which a function has a kind of access, in alphabetical order.
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
pub fn permits(function: &str, access: Access, partition: &str) -> Option<&'static str> {
    partitions(function, access).into_iter().find(|partitions| is_like(partition, partitions))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_contain_only_known_kinds_of_access() {
        assert_eq!(RIGHTS.len(), TABLE.lines().count(), "a line has no three columns");
        for (partitions, kinds, functions) in RIGHTS.iter() {
            for kind in kinds.split(' ') {
                assert!(Access::named(kind).is_some(), "{partitions}: {kind}");
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
