use super::*;

fn after(follow: Follow, method: &Method, status: u16, location: &str) -> Result<Option<Target>, FetchError> {
    let from = Target::parse("https://example.org/a/b", Reach::Public).unwrap();
    let headers = HeaderMap::from_iter([(LOCATION, location.parse().unwrap())]);
    let status = StatusCode::from_u16(status).unwrap();
    next(follow, method, &from, status, &headers, 0, Reach::Public)
}

fn to(url: &str) -> Result<Option<Target>, FetchError> {
    Ok(Some(Target::parse(url, Reach::Public).unwrap()))
}

#[test]
fn fetch_follows_a_few_safe_redirects_of_a_card() {
    let card = |status, location| after(Follow::Hops(3), &Method::GET, status, location);
    for status in [301, 302, 303, 307, 308] {
        assert_eq!(card(status, "c"), to("https://example.org/a/c"));
        assert_eq!(card(status, "https://www.example.org/"), to("https://www.example.org/"));
    }
    for status in [200, 300, 304, 305, 306, 404, 500] {
        assert_eq!(card(status, "c"), Ok(None), "{status}");
    }
    assert_eq!(card(301, "http://example.org/"), Err(FetchError::BadRedirect));
    assert_eq!(card(301, "//localhost/"), Err(TargetError::ReservedName.into()));
    assert_eq!(card(301, "//example.org:22/"), Err(TargetError::Port.into()));
    assert_eq!(after(Follow::Hops(3), &Method::POST, 307, "c"), Ok(None), "a body is never sent on");
    assert_eq!(after(Follow::Hops(0), &Method::GET, 301, "c"), Err(FetchError::TooManyRedirects));
    assert_eq!(after(Follow::Never, &Method::GET, 301, "https://10.0.0.1/"), Ok(None));
}

#[test]
fn fetch_follows_one_redirect_of_an_endpoint_within_its_origin() {
    let endpoint = |status, location| after(Follow::SameOriginOnce, &Method::POST, status, location);
    assert_eq!(endpoint(307, "/a/b/"), to("https://example.org/a/b/"));
    assert_eq!(endpoint(308, "https://example.org:443/x"), to("https://example.org/x"));
    assert_eq!(endpoint(302, "/x"), Ok(None));
    for elsewhere in ["https://www.example.org/", "https://example.org:8443/", "http://example.org/a/b"] {
        assert_eq!(endpoint(307, elsewhere), Err(FetchError::BadRedirect), "{elsewhere}");
    }
}

#[test]
fn fetch_follows_no_redirect_from_https_to_http() {
    let from = Target::parse("https://127.0.0.1:1/", Reach::Development).unwrap();
    for (location, expected) in [("https://localhost:2/", true), ("http://127.0.0.1:1/", false)] {
        let headers = HeaderMap::from_iter([(LOCATION, location.parse().unwrap())]);
        let (follow, found, reach) = (Follow::Hops(3), StatusCode::FOUND, Reach::Development);
        let to = next(follow, &Method::GET, &from, found, &headers, 0, reach);
        assert_eq!(to.is_ok(), expected, "{location}");
    }
}
