use proptest::prelude::*;

use super::*;

fn task(origin: Origin, caller: &str, id: &str) -> StoredTask {
    StoredTask {
        id: id.to_owned(),
        origin,
        caller: caller.to_owned(),
        context_id: "c".to_owned(),
        context_origin: origin,
        state: "completed".to_owned(),
        at: "2026-11-20T12:00:00Z".parse().unwrap(),
        content: "{}".to_owned(),
    }
}

proptest! {
    #[test]
    fn every_key_from_an_id_of_a_client_is_short_enough(id in prop_oneof!["\\PC{0,40}", "\\PC{500,3000}"]) {
        for origin in [Origin::Ours, Origin::Client] {
            let task = task(origin, "2001:db8:ffff:ffff::/64", &id);
            for key in std::iter::once(task.key()).chain(task.row()) {
                prop_assert!(key.pk.len() <= 2048 && key.sk.len() <= 1024, "{id}");
            }
        }
    }
}

#[test]
fn a_page_stays_below_its_maximum_size() {
    let row = |size: i64| Item::from([("size".to_owned(), n(size))]);
    let (small, large) = (row(1000), row(MAX_PAGE_BYTES - 10_000));
    assert_eq!(page_rows(&[small.clone(), small.clone(), small.clone()], 2), 2);
    assert_eq!(page_rows(&[large.clone(), small.clone(), large, small.clone()], 9), 2);
    assert_eq!(page_rows(&[row(9 * MAX_PAGE_BYTES), small], 9), 1);
    assert_eq!(page_rows(&[], 9), 0);
}
