//! The rules for collections: their names, and who may publish them. A collection is a named selection of servers, which
//! clients read as a registry of its own.

use crate::prelude::*;
use crate::trust::ownership::Domains;
use registry_formats::argument_text;
use registry_formats::public_text::public_text;
use registry_model::{Category, Collection, CollectionRules, HostName, registrable_domain};
use registry_search::Text;

pub const MAX_SERVERS: usize = 200;
pub const MAX_NAME_CHARS: usize = 100;
const MAX_OF_A_DOMAIN: u32 = 10;
const MAX_TITLE_CHARS: usize = 100;
const MAX_DESCRIPTION_CHARS: usize = 500;
const MAX_SERVER_CHARS: usize = 200;
/// A proof is valid for a week.
pub const MAX_AGE_HOURS: u32 = 168;

#[derive(Clone, Debug)]
pub enum CollectionOwner {
    Operator,
    /// Whoever has a key of this domain.
    Domain(HostName, Domains),
}

impl CollectionOwner {
    /// The name of a domain's collection begins with the reversed domain: `com.example.approved`.
    pub fn of(name: &str) -> Result<Self, Problem> {
        let is_part = |part: &str| {
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
            part.starts_with(plain) && part.ends_with(plain) && part.chars().all(|c| plain(c) || c == '-')
        };
        if name.len() > MAX_NAME_CHARS || !name.split('.').all(is_part) {
            let detail = format!(
                "`name` must have 1 to {MAX_NAME_CHARS} lower-case letters, digits, hyphens and dots, such as \
                 `com.example.approved` for the owner of example.com. This is `{}`.",
                shorten(name, 60)
            );
            return Err(Problem::invalid("name", Code::BadCollectionName, detail));
        }
        let Some((domain, leaf)) = name.rsplit_once('.') else { return Ok(Self::Operator) };
        let server_name = format!("{domain}/{leaf}");
        match (HostName::of_server_name(&server_name), Domains::of_name(&server_name)) {
            (Some(host), Some(domains)) if domain.contains('.') => Ok(Self::Domain(host, domains)),
            _ => {
                let detail =
                    "`name` must begin with a whole reversed domain, such as `com.example.approved`.";
                Err(Problem::invalid("name", Code::BadCollectionName, detail))
            }
        }
    }
}

pub fn checked(collection: Collection) -> Result<Collection, Problem> {
    let CollectionRules { servers, q, category, max_age_hours, .. } = &collection.rules;
    if servers.len() > MAX_SERVERS {
        let detail = format!("`servers` names {} servers; at most {MAX_SERVERS} are allowed.", servers.len());
        return Err(Problem::invalid("servers", Code::TooManyServers, detail));
    }
    for server in servers {
        argument_text::plain_line("servers", server, MAX_SERVER_CHARS).map_err(Problem::in_entry)?;
    }
    if let Some(q) = q {
        Text::parse(q, "q")?;
        argument_text::plain_text("q", q, 1000)?;
    }
    category.as_deref().map(Category::parse).transpose()?;
    if max_age_hours.is_some_and(|hours| !(1..=MAX_AGE_HOURS).contains(&hours)) {
        let detail = format!("`max_age_hours` must be 1 to {MAX_AGE_HOURS}.");
        return Err(Problem::invalid("max_age_hours", Code::BadAge, detail));
    }
    let title = argument_text::plain_line("title", &collection.title, MAX_TITLE_CHARS)?;
    let title = public_text("title", &title, MAX_TITLE_CHARS)?;
    let description = collection.description.as_deref();
    let description =
        description.map(|text| public_text("description", text, MAX_DESCRIPTION_CHARS)).transpose()?;
    Ok(Collection { title, description, ..collection })
}

/// Publishes a collection of a domain. All hosts of a registrable domain have a few together, so that no owner fills the list.
pub async fn publish(app: &App, owner: &HostName, collection: &Collection) -> Result<(), Problem> {
    let domain = registrable_domain(owner.as_str()).unwrap_or(owner.as_str());
    let prefix = format!("{}.", domain.rsplit('.').collect::<Vec<_>>().join("."));
    for _ in 0..=MAX_OF_A_DOMAIN {
        if app.store.replace_collection(collection).await? {
            return Ok(());
        }
        let (count, added) = app.store.count_collections(&prefix).await?;
        if count >= MAX_OF_A_DOMAIN {
            let detail = format!(
                "{domain} has {MAX_OF_A_DOMAIN} collections. Remove one, with `remove`, to publish another."
            );
            return Err(Problem::new(Code::TooManyCollections, detail));
        }
        if app.store.add_collection(collection, &prefix, added).await? {
            return Ok(());
        }
    }
    Err(Problem::unavailable("other collections of the domain were published at the same time"))
}

pub fn not_found(name: &str) -> Problem {
    let detail = format!("Unknown collection: `{}`. See `/api/collections`.", shorten(name, 100));
    Problem::new(Code::CollectionNotFound, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_decides_who_may_publish_a_collection() {
        assert!(matches!(CollectionOwner::of("approved"), Ok(CollectionOwner::Operator)));
        let Ok(CollectionOwner::Domain(host, _)) = CollectionOwner::of("com.example.approved-tools") else {
            panic!("no domain");
        };
        assert_eq!(host.as_str(), "example.com");
        for name in ["", "Approved", "a b", "com.approved", ".a", "a..b.c", "a/b", "com.example.-x"] {
            assert!(CollectionOwner::of(name).is_err(), "{name}");
        }
        assert!(CollectionOwner::of(&"x".repeat(101)).is_err());
    }
}
