use super::*;

#[test]
fn connections_are_limited_in_total_and_by_address() {
    let slots = ConnectionSlots::new(ConnectionLimits { total: 64, per_address: 3, read_seconds: 1 });
    let peer = |last: u8| SocketAddr::from(([127, 0, 0, last], 1));
    let all = |last: u8| std::iter::from_fn(|| slots.take(peer(last))).collect::<Vec<_>>();
    let one = all(1);
    assert_eq!(one.len(), 3);
    let others: Vec<ConnectionSlot> = (2..=64).flat_map(all).collect();
    assert_eq!(others.len(), 61);
    assert!(slots.take(peer(65)).is_none(), "the total is reached");
    drop(one);
    assert!(slots.take(peer(65)).is_some());
    drop(others);
    assert!(slots.open.lock().unwrap().by_network.is_empty());
}

#[test]
fn networks_with_many_connections_leave_some_for_others() {
    let slots = ConnectionSlots::new(ConnectionLimits { total: 4096, per_address: 256, read_seconds: 1 });
    let peer = |last: u8| SocketAddr::from(([127, 0, 0, last], 1));
    let mut taken = Vec::new();
    for last in (1..=64).cycle().take(64 * 300) {
        taken.extend(slots.take(peer(last)));
    }
    assert!(taken.len() < 3600, "{} of 4096", taken.len());
    assert!((0..10).all(|_| slots.take(peer(100)).is_some()));
}
