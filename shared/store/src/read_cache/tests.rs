use std::time::Duration;

use super::*;

const LIVE: &str = "LIVE";

fn sole() -> ReadCache {
    ReadCache::new(Ages::SOLE, Clock::System)
}

fn live(agents: u32) -> Live {
    Live { agents, ..Live::default() }
}

async fn read(cache: &ReadCache, agents: u32) -> Live {
    cache.live(LIVE, async |_| Ok(live(agents))).await.unwrap()
}

#[tokio::test]
async fn item_is_cached_until_its_next_write() {
    let cache = sole();
    assert_eq!(read(&cache, 1).await, live(1));
    assert_eq!(read(&cache, 2).await, live(1));
    drop(cache.writing(vec![LIVE.to_owned()]));
    assert_eq!(read(&cache, 3).await, live(3));
}

#[tokio::test]
async fn cache_ignores_items_that_were_read_during_a_write() {
    let cache = sole();
    let overtaken = async |_| {
        drop(cache.writing(vec![LIVE.to_owned()]));
        Ok(live(1))
    };
    assert_eq!(cache.live(LIVE, overtaken).await.unwrap(), live(1));
    assert_eq!(read(&cache, 2).await, live(2));
}

#[tokio::test]
async fn a_disabled_cache_reads_the_table_every_time() {
    let disabled = ReadCache::new(Ages::NONE, Clock::System);
    assert_eq!(read(&disabled, 1).await, live(1));
    assert_eq!(read(&disabled, 2).await, live(2));
}

fn for_seconds() -> (ReadCache, Clock) {
    let clock = Clock::manual(Moment::from_second(1_800_000_000).unwrap());
    (ReadCache::new(Ages::AMONG_MANY, clock.clone()), clock)
}

#[tokio::test]
async fn counts_of_many_writers_are_cached_for_a_second() {
    let (cache, clock) = for_seconds();
    assert_eq!(read(&cache, 1).await, live(1));
    clock.advance(Duration::from_millis(999));
    assert_eq!(read(&cache, 2).await, live(1));
    clock.advance(Duration::from_millis(1));
    let mut outdated = None;
    let read_again = async |old| {
        outdated = old;
        Ok(live(3))
    };
    assert_eq!(cache.live(LIVE, read_again).await.unwrap(), live(3));
    assert_eq!(outdated, Some(live(1)));
    drop(cache.writing(vec![LIVE.to_owned()]));
    assert_eq!(read(&cache, 4).await, live(4), "a process sees its own writes");
}

#[tokio::test]
async fn pages_of_many_writers_are_cached_as_long_as_clients_cache_them() {
    let (cache, clock) = for_seconds();
    let page = async |cache: &ReadCache, next: &str| {
        cache.page("ACTIVE#mcp", async { Ok((Vec::new(), Some(next.to_owned()))) }).await.unwrap().1.unwrap()
    };
    assert_eq!(page(&cache, "1").await, "1");
    clock.advance(Duration::from_millis(4_999));
    assert_eq!(page(&cache, "2").await, "1");
    clock.advance(Duration::from_millis(1));
    assert_eq!(page(&cache, "3").await, "3");
    let sole = sole();
    assert_eq!((page(&sole, "1").await, page(&sole, "2").await), ("1".to_owned(), "2".to_owned()));
}

#[tokio::test]
async fn listings_of_many_writers_are_never_cached() {
    let (cache, _) = for_seconds();
    for _ in 0..2 {
        assert_eq!(cores(&cache, &[key(1)], "it").await.0, [key(1)]);
    }
}

fn key(number: usize) -> Key {
    Key::new(format!("LISTING#mcp-{number}"), "CORE")
}

/// The items of listings with a description.
fn stored(keys: &[Key], description: &str) -> Vec<Item> {
    let core = |key: &Key| {
        let fields = serde_json::json!({
            "id": key.pk.trim_start_matches("LISTING#"), "name": "A", "description": description,
            "category": "other", "declared": "unknown", "lane": "active",
            "listed_at": "2026-11-20T12:00:00Z", "due_at": "2026-11-20T12:00:00Z",
        });
        key.with_fields(&fields).unwrap()
    };
    keys.iter().map(core).collect()
}

/// The keys that were read from the table, and the descriptions of all.
async fn cores(cache: &ReadCache, keys: &[Key], description: &str) -> (Vec<Key>, Vec<String>) {
    let mut read_keys = Vec::new();
    let read = async |missing: Vec<Key>| {
        read_keys.clone_from(&missing);
        Ok(stored(&missing, description))
    };
    let mut found = cache.cores(keys.to_vec(), read).await.unwrap();
    found.sort_by_key(|listing| listing.id.clone());
    (read_keys, found.iter().filter_map(|listing| listing.texts.description.clone()).collect())
}

#[tokio::test]
async fn only_listings_that_are_not_cached_are_read() {
    let cache = sole();
    let (one, two, three) = (key(1), key(2), key(3));
    let first = cores(&cache, &[two.clone(), one.clone(), two.clone()], "old").await;
    assert_eq!(first, (vec![one.clone(), two.clone()], vec!["old".to_owned(); 2]), "each once");
    drop(cache.writing(vec![one.pk.clone()]));
    let (read_keys, descriptions) = cores(&cache, &[three.clone(), two, one.clone()], "new").await;
    assert_eq!((read_keys, descriptions), (vec![one, three], vec!["new".into(), "old".into(), "new".into()]));
}

#[tokio::test]
async fn cache_ignores_listings_that_were_written_during_the_read() {
    let cache = sole();
    let overtaken = async |missing: Vec<Key>| {
        drop(cache.writing(vec![key(1).pk]));
        Ok(stored(&missing, "old"))
    };
    cache.cores(vec![key(1), key(2)], overtaken).await.unwrap();
    assert_eq!(cores(&cache, &[key(1), key(2)], "new").await.0, [key(1)]);
}

#[tokio::test]
async fn readers_of_the_same_listings_do_not_deadlock() {
    let cache = sole();
    let slowly = async |missing: Vec<Key>| {
        tokio::task::yield_now().await;
        Ok(stored(&missing, "it"))
    };
    let (there, back) = (vec![key(1), key(2), key(3)], vec![key(3), key(2), key(1)]);
    let both = async { tokio::join!(cache.cores(there, slowly), cache.cores(back, slowly)) };
    let both = tokio::time::timeout(std::time::Duration::from_secs(5), both).await;
    let (one, other) = both.expect("neither waits for the other");
    assert_eq!((one.unwrap().len(), other.unwrap().len()), (3, 3));
}
