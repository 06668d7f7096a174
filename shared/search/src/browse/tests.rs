use super::*;
use crate::entry::{IndexEntry, IndexedText};
use registry_model::{Access, Availability};

/// Three listings have the same name; every fourth is gated.
fn index() -> Index {
    let entry = |n: i64| {
        let access = if n % 4 == 0 { Access::Gated } else { Access::Open };
        let listing = IndexedListing {
            kind: if n % 5 == 0 { Kind::Agent } else { Kind::Mcp },
            registry_name: format!("org.example/{}", n * 31 % 67),
            changed_at: n,
            shown: Availability { is_live: n % 4 != 0, access },
            ..IndexedListing::example(&format!("mcp-{n}"))
        };
        IndexEntry::from_text(listing, &IndexedText::default())
    };
    Index::default().with((0..200).map(entry))
}

#[test]
fn pages_contain_every_matching_listing_once_and_in_order() {
    let index = index();
    let plain = BrowseQuery { limit: 7, ..BrowseQuery::default() };
    let only = ["org.example/3", "mcp-7"].map(str::to_owned).into_iter().collect();
    let queries = [
        plain.clone(),
        BrowseQuery { kind: Some(Kind::Agent), ..plain.clone() },
        BrowseQuery { listed: Listed::With(Access::Gated), ..plain.clone() },
        BrowseQuery { named: Some("org.example/31".to_owned()), limit: 1, ..plain.clone() },
        BrowseQuery { named: Some("org.example/none".to_owned()), ..plain.clone() },
        BrowseQuery { name_contains: Some("/3".to_owned()), ..plain.clone() },
        BrowseQuery { changed_since: Moment::from_millisecond(150), ..plain.clone() },
        BrowseQuery { only: Some(Arc::new(only)), ..plain.clone() },
        BrowseQuery { limit: 1000, ..plain },
    ];
    for mut part in queries {
        let mut expected: Vec<IndexedListing> =
            index.listings().map(|(_, entry)| entry.clone()).filter(|entry| part.matches(entry)).collect();
        expected.sort_by(|a, b| a.sort_key().cmp(&b.sort_key()));
        assert_eq!(total(&index, &part), expected.len(), "{part:?}");
        let mut found = Vec::new();
        loop {
            let (page, more) = select_page(&index, &part);
            assert!(page.len() == part.limit || !more, "{part:?}");
            found.extend(page);
            if !more {
                break;
            }
            part.after = found.last().map(|entry| cursor(entry.sort_key()));
        }
        assert_eq!(found, expected, "{part:?}");
    }
    let part = BrowseQuery { after: Some("org.example/2".to_owned()), limit: 1, ..BrowseQuery::default() };
    let (page, _) = select_page(&index, &part);
    assert_eq!(page[0].registry_name, "org.example/2", "a cursor without an id begins at its name");
}

#[test]
fn name_is_found_as_it_is_shown_and_as_the_registry_api_has_it() {
    let listing = IndexedListing {
        name: "Postgres Gate".to_owned(),
        registry_name: "org.example/pg".to_owned(),
        ..IndexedListing::example("mcp-pg")
    };
    for (part, is_found) in [("gate", true), ("example/pg", true), ("mysql", false)] {
        let query = BrowseQuery { name_contains: Some(part.to_owned()), ..BrowseQuery::default() };
        assert_eq!(query.matches(&listing), is_found, "{part}");
    }
}
