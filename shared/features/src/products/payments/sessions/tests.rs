use super::*;

fn answered(status: u16, body: &str) -> Result<PaymentSession, SessionFailure> {
    let target = Target::parse("https://api.stripe.com/", registry_model::Reach::Public).unwrap();
    session(&Answer {
        status: StatusCode::from_u16(status).unwrap(),
        headers: HeaderMap::new(),
        body: Bytes::from(body.to_owned()),
        target,
        elapsed: Duration::ZERO,
        truncated: false,
    })
}

#[test]
fn stripe_reply_is_a_payment_page_or_a_classified_failure() {
    let good = r#"{"id": "cs_test_1", "url": "https://checkout.stripe.com/c/pay/cs_test_1#x"}"#;
    assert_eq!(answered(200, good).unwrap().id, "cs_test_1");
    for broken in ["", "{}", r#"{"id": "cs_1", "url": null}"#, r#"{"id": "x", "url": "https://a.example/"}"#]
    {
        assert!(matches!(answered(200, broken), Err(SessionFailure::Failed(_))), "{broken}");
    }
    for status in [409, 429] {
        assert!(matches!(answered(status, "{}"), Err(SessionFailure::NoAnswer(_))), "{status}");
    }
    assert!(matches!(answered(500, "oops"), Err(SessionFailure::Failed(_))));
    let refusal = r#"{"error": {"type": "invalid_request_error", "message": "No such key: sk_test_x"}}"#;
    let Err(SessionFailure::Refused(error)) = answered(401, refusal) else { panic!("401 is a refusal") };
    assert_eq!(error.to_string(), "401 invalid_request_error - -");
}
