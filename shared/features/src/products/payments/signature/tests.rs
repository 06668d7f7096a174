use super::*;

const BODY: &[u8] = br#"{"id": "evt_1", "object": "event"}"#;
const AT: i64 = 1_795_176_000;
/// Made with another implementation: `printf '%s.%s' 1795176000 "$BODY" | openssl dgst -sha256 -hmac whsec_test`.
const SIGNED: &str = "89d211e910015b8076d626a1d8e94e9c502eb7d0006cce83e5a169786861beb0";
const OTHER: &str = "0000000000000000000000000000000000000000000000000000000000000000";

fn verified(secret: &str, header: Option<&str>, body: &[u8], at: i64) -> Result<(), SignatureError> {
    verify(&Secret::new(secret.to_owned()), header, body, Moment::from_second(at).unwrap())
}

#[test]
fn valid_signature_is_accepted() {
    for header in [
        format!("t={AT},v1={SIGNED}"),
        format!("t={AT},v1={SIGNED},v0={OTHER}"),
        // While a secret is being replaced there are two.
        format!("t={AT},v1={OTHER},v1={SIGNED}"),
        format!("t={AT}, v1=nonsense, v1={}", SIGNED.to_uppercase()),
    ] {
        assert_eq!(verified("whsec_test", Some(&header), BODY, AT), Ok(()), "{header}");
    }
}

#[test]
fn signature_with_a_changed_body_time_or_scheme_is_rejected() {
    let header = format!("t={AT},v1={SIGNED}");
    assert_eq!(verified("whsec_other", Some(&header), BODY, AT), Err(SignatureError::Wrong));
    let tampered = br#"{"id": "evt_2", "object": "event"}"#;
    assert_eq!(verified("whsec_test", Some(&header), tampered, AT), Err(SignatureError::Wrong));
    assert_eq!(verified("whsec_test", Some(&header), &BODY[1..], AT), Err(SignatureError::Wrong));
    // The time is signed, too.
    let later = format!("t={},v1={SIGNED}", AT + 1);
    assert_eq!(verified("whsec_test", Some(&later), BODY, AT), Err(SignatureError::Wrong));
    // Other schemes than v1 are ignored.
    let downgraded = format!("t={AT},v0={SIGNED}");
    assert_eq!(verified("whsec_test", Some(&downgraded), BODY, AT), Err(SignatureError::Malformed));
}

#[test]
fn signature_is_valid_if_its_time_differs_by_at_most_five_minutes() {
    let header = format!("t={AT},v1={SIGNED}");
    for (apart, expected) in
        [(300, Ok(())), (-300, Ok(())), (301, Err(SignatureError::Stale)), (-301, Err(SignatureError::Stale))]
    {
        assert_eq!(verified("whsec_test", Some(&header), BODY, AT + apart), expected, "{apart}");
    }
}

#[test]
fn malformed_header_is_rejected() {
    let forms =
        ["", "t=", "nonsense", "v1=", "t=1795176000", "t=1795176000,v1=", "t=x,v1=00", "t=1795176000,v1=é"];
    for header in forms.map(Some).into_iter().chain([None]) {
        assert_eq!(verified("whsec_test", header, BODY, AT), Err(SignatureError::Malformed), "{header:?}");
    }
    let untimed = format!("v1={SIGNED}");
    assert_eq!(verified("whsec_test", Some(&untimed), BODY, AT), Err(SignatureError::Malformed));
}
