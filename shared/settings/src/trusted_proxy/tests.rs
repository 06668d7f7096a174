use super::*;

#[test]
fn only_the_proxy_with_the_secret_names_the_caller() {
    let proxy = TrustedProxy::new(&Secret::new("s".repeat(32)), "X-Forwarded-For", false);
    let connection: IpAddr = "192.0.2.1".parse().unwrap();
    let client = |secret: &str, values: &[&str]| {
        let addresses = values.iter().map(|value| ("x-forwarded-for", *value));
        let headers: Vec<_> = [(PROXY_SECRET_HEADER, secret)].into_iter().chain(addresses).collect();
        proxy.client(connection, headers).to_string()
    };
    let secret = "s".repeat(32);
    for (values, expected) in [
        (&["198.51.100.7"][..], "198.51.100.7"),
        (&["203.0.113.9, 198.51.100.7"], "198.51.100.7"),
        (&["203.0.113.9", "198.51.100.7"], "198.51.100.7"),
        (&["198.51.100.7:443"], "198.51.100.7"),
        (&["2001:db8::7"], "2001:db8::7"),
        (&["[2001:db8::7]:443"], "2001:db8::7"),
        (&["2001:db8:0:0:0:0:0:7:443"], "2001:db8::7"),
        (&["198.51.100.7, unknown"], "192.0.2.1"),
        (&["é, 198.51.100.7"], "192.0.2.1"),
        (&[], "192.0.2.1"),
    ] {
        assert_eq!(client(&secret, values), expected, "{values:?}");
        assert_eq!(client("guessed", values), "192.0.2.1", "{values:?}");
    }
}

#[test]
fn required_proxy_may_send_its_new_or_its_previous_secret() {
    let (new, previous) = ("n".repeat(32), "p".repeat(32));
    let secrets = Secret::new(format!("{new},{previous}"));
    for (sent, is_proxy) in
        [(Some(&new), true), (Some(&previous), true), (Some(&"x".repeat(32)), false), (None, false)]
    {
        let headers = sent.map(|sent| (PROXY_SECRET_HEADER, sent));
        let refuses =
            |is_required| TrustedProxy::new(&secrets, "x-forwarded-for", is_required).refuses(headers);
        assert_eq!((refuses(true), refuses(false)), (!is_proxy, false), "{sent:?}");
    }
}
