use super::*;

fn request(domain: &str) -> lambda_http::Request {
    let event = serde_json::json!({
        "version": "2.0", "routeKey": "GET /log", "rawPath": "/log", "rawQueryString": "", "headers": {},
        "isBase64Encoded": false,
        "requestContext": {
            "accountId": "123456789012", "apiId": "abc123", "domainName": domain, "domainPrefix": "x",
            "http": { "method": "GET", "path": "/log", "protocol": "HTTP/1.1", "sourceIp": "192.0.2.1", "userAgent": "x" },
            "requestId": "1", "routeKey": "GET /log", "stage": "$default", "time": "x", "timeEpoch": 1,
        },
    });
    lambda_http::request::from_str(&event.to_string()).unwrap()
}

#[test]
fn address_without_a_base_url_does_not_depend_on_the_domain_of_the_first_request() {
    let region = |name: &str| (name == "AWS_REGION").then(|| "eu-west-1".to_owned());
    for domain in ["abc123.execute-api.eu-west-1.amazonaws.com", "registry.example.org"] {
        let address = own_address(&request(domain), region);
        assert_eq!(address.as_deref(), Some("https://abc123.execute-api.eu-west-1.amazonaws.com"));
    }
    let with_base_url = |name: &str| Some(name.to_owned());
    assert_eq!(own_address(&request("registry.example.org"), with_base_url), None);
    assert_eq!(api_address("abc123", "cn-north-1"), "https://abc123.execute-api.cn-north-1.amazonaws.com.cn");
}
