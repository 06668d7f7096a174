use super::*;

fn all(texts: &[&str]) -> Vec<IpAddr> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

#[test]
fn fetch_resolver_refuses_an_answer_with_a_private_address() {
    let blocked = Err(FetchError::Blocked(TargetError::PrivateAddress));
    for texts in [
        &["10.0.0.1"][..],
        &["8.8.8.8", "127.0.0.1"],
        &["169.254.169.254", "8.8.8.8"],
        &["2606:4700::1", "::ffff:10.0.0.1"],
        &["8.8.8.8", "1.1.1.1", "fd00:ec2::254"],
        &["1.1.1.1", "1.1.1.1", "1.1.1.1", "1.1.1.1", "1.1.1.1", "1.1.1.1", "1.1.1.1", "1.1.1.1", "10.0.0.1"],
    ] {
        assert_eq!(check_addresses(all(texts)), blocked, "{texts:?}");
    }
}

#[test]
fn fetch_resolver_returns_public_answers_unchanged() {
    let answer = all(&["8.8.8.8", "2606:4700::1"]);
    assert_eq!(check_addresses(answer.clone()), Ok(answer));
    assert_eq!(check_addresses(vec![]), Err(FetchError::NameNotFound));
    assert_eq!(check_addresses(all(&["8.8.8.8"; 300])).unwrap().len(), MAX_ADDRESSES);
}

#[tokio::test]
async fn fetch_resolver_distinguishes_an_unknown_name_from_a_failed_lookup() {
    for (code, expected) in [(3, FetchError::NameNotFound), (2, FetchError::NameUnresolved)] {
        let server = tokio::net::UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let address = server.local_addr().unwrap();
        tokio::spawn(async move {
            let mut query = [0; 512];
            while let Ok((length, from)) = server.recv_from(&mut query).await {
                (query[2], query[3]) = (query[2] | 0x80, code);
                server.send_to(&query[..length], from).await.unwrap();
            }
        });
        assert_eq!(look_up(NameServers::Only(address), "a.example.org.").await, Err(expected));
    }
}

#[tokio::test]
async fn fetch_resolver_never_sends_localhost_to_the_dns() {
    let private: Lookup = |_| Box::pin(async { Ok(vec![Ipv4Addr::new(10, 0, 0, 1).into()]) });
    let resolver = Resolver { reach: Reach::Development, lookup: private };
    assert_eq!(resolver.addresses("a.localhost").await.unwrap(), all(&["127.0.0.1", "::1"]));
    let public = Resolver { reach: Reach::Public, ..resolver };
    assert_eq!(public.addresses("localhost").await, Err(TargetError::PrivateAddress.into()));
}

#[tokio::test]
async fn fetch_resolver_looks_up_absolute_names() {
    let lookup: Lookup = |name| {
        let found = (name == "a.example.org.").then(|| Ipv4Addr::new(8, 8, 8, 8).into());
        Box::pin(async move { Ok(found.into_iter().collect()) })
    };
    let resolver = Resolver { reach: Reach::Public, lookup };
    assert_eq!(resolver.addresses("a.example.org").await, Ok(all(&["8.8.8.8"])));
}
