use registry_model::{Lane, NameProof, NameProofMethod, Ownership, Proof};

use super::*;

#[test]
fn share_of_the_budget_depends_on_the_proof() {
    let new = |url: &str| Listing {
        url: Some(url.to_owned()),
        ..Listing::new(id("a"), "a".to_owned(), Moment::UNIX_EPOCH)
    };
    let unproven = new("https://a.b.example.co.uk/mcp");
    let named = Listing {
        ownership: Ownership { server_name: Some("com.example/a".to_owned()), ..unproven.ownership.clone() },
        ..unproven.clone()
    };
    let proof = |how| Some(NameProof { how, at: Moment::UNIX_EPOCH });
    let by_domain = Listing {
        ownership: Ownership { name_proof: proof(NameProofMethod::Domain), ..named.ownership.clone() },
        ..named.clone()
    };
    let proven = Listing {
        ownership: Ownership { name_proof: proof(NameProofMethod::Dns), ..named.ownership.clone() },
        ..named.clone()
    };
    let bound = Listing {
        ownership: Ownership { proven_domain: "b.example.co.uk".parse().ok(), ..unproven.ownership.clone() },
        ..unproven.clone()
    };
    let was_live = Listing {
        proof: Proof { last_ok_at: Some(Moment::UNIX_EPOCH), ..unproven.proof.clone() },
        ..unproven.clone()
    };
    let live = Listing { lane: Lane::Active, ..was_live.clone() };
    for (listing, is_unproven, domain) in [
        (unproven, true, Some("example.co.uk")),
        (named, true, Some("example.co.uk")),
        (by_domain, true, Some("example.co.uk")),
        (proven, false, Some("example.com")),
        (bound, false, Some("example.co.uk")),
        (was_live, true, Some("example.co.uk")),
        (live, false, None),
        (new("http://127.0.0.1:8080/mcp"), true, None),
        (new("http://[::1]:8080/mcp"), true, None),
        (new("https://co.uk/mcp"), true, Some("co.uk")),
    ] {
        let expected = Share { is_unproven, domain: domain.map(str::to_owned) };
        assert_eq!(budget_share(&listing), expected, "{listing:?}");
    }
}

fn id(text: &str) -> ListingId {
    ListingId::of_url(&format!("https://{text}.example.org/").parse().unwrap())
}

fn queue(rows: &[(&str, &str)]) -> DueQueue {
    let mut queue = DueQueue::of(&[], Moment::UNIX_EPOCH);
    for (host, name) in rows {
        queue.push(host, id(name), None, Share::default());
    }
    queue
}

#[test]
fn recheck_reads_a_page_of_each_class_in_turn() {
    let order = |alternates: bool| -> Vec<(DueClass, u32)> {
        let mut classes: VecDeque<_> = DueClass::OF_A_RECHECK.map(|class| (class, 0)).into();
        let mut order = Vec::new();
        while let Some((class, page)) = classes.pop_front() {
            order.push((class, page));
            if page < 1 {
                put_back(&mut classes, (class, page + 1), alternates);
            }
        }
        order
    };
    let [first, second] = DueClass::OF_A_RECHECK;
    assert_eq!(order(true), [(first, 0), (second, 0), (first, 1), (second, 1)]);
    assert_eq!(order(false), [(first, 0), (first, 1), (second, 0), (second, 1)]);
}

#[test]
fn slow_host_does_not_delay_other_hosts() {
    let slow: Vec<String> = (0..10).map(|number| format!("slow-{number}")).collect();
    let mut rows: Vec<(&str, &str)> = slow.iter().map(|name| ("slow", name.as_str())).collect();
    rows.push(("other", "other"));
    let mut queue = queue(&rows);
    let entry: Vec<DueListing> = std::iter::from_fn(|| queue.pop()).collect();
    assert!(entry[..SLOTS_PER_HOST].iter().all(|entry| entry.host == "slow"), "in their order");
    assert_eq!(entry.iter().filter(|entry| entry.host == "slow").count(), SLOTS_PER_HOST);
    assert!(entry.iter().any(|entry| entry.id == id("other")));
    queue.done(&entry[0]);
    let next = queue.pop().map(|entry| entry.id);
    assert_eq!(next, Some(id("slow-4")), "refilled as a place comes free, in the order of the queue");
    assert!(queue.pop().is_none());
}

#[test]
fn queue_returns_each_listing_once_and_forgets_empty_hosts() {
    let mut queue = queue(&[("a", "1"), ("a", "2"), ("b", "3")]);
    let mut seen = Vec::new();
    while let Some(entry) = queue.pop() {
        queue.done(&entry);
        seen.push(entry.id);
    }
    seen.sort_unstable();
    let mut expected = vec![id("1"), id("2"), id("3")];
    expected.sort_unstable();
    assert_eq!((seen, queue.waiting, queue.hosts.len()), (expected, 0, 0));
}
