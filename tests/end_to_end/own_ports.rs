//! Tests that the registries of tests reach only servers of the harness. Without this rule, a test could depend on a server
//! of another process, such as a registry on port 8080.

use std::net::TcpListener;

use tests::ports;
use tests::test_registry::TestRegistry;

/// A listener on a port that the harness does not know, like that of another process. Ports of earlier tests are known.
fn foreign_listener() -> TcpListener {
    let mut known = Vec::new();
    loop {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        if !ports::is_allowed(listener.local_addr().unwrap().port()) {
            return listener;
        }
        known.push(listener);
    }
}

#[tokio::test]
async fn fetcher_of_tests_refuses_ports_that_the_harness_did_not_open() {
    let registry = TestRegistry::start().await;
    let foreign = foreign_listener();
    foreign.set_nonblocking(true).unwrap();
    let url = format!("http://{}/mcp", foreign.local_addr().unwrap());
    let id = registry.publish_mcp(&url).await;
    registry.deliver_events().await;
    assert_eq!(registry.reason_codes(&id).await, ["conn_refused"], "{}", registry.status(&id).await);
    assert!(foreign.accept().is_err(), "the registry opened a connection");
}
