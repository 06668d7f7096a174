use super::*;

#[test]
fn secrets_are_never_printed() {
    assert_eq!(format!("{:?}", Some(Secret::new("hidden".to_owned()))), "Some(Secret(…))");
}

#[test]
fn access_tokens_can_be_parsed_and_are_never_printed() {
    let token = AccessToken::new(&Random::seeded(1));
    assert_eq!(token.reveal().parse(), Ok(token.clone()));
    assert_eq!(token.reveal().len(), AccessToken::LENGTH);
    assert_eq!(format!("{token:?}"), "AccessToken(…)");
    assert_eq!(token.digest().as_str().len(), 64);
    assert!("at_short".parse::<AccessToken>().is_err());
    let digest = token.digest();
    assert_eq!(TokenDigest::try_from(String::from(digest.clone())), Ok(digest));
    assert!(TokenDigest::try_from(token.reveal().to_owned()).is_err());
}

#[test]
fn codes_can_be_parsed_in_any_case_and_are_never_printed() {
    let code = DiscountCode::new(&Random::seeded(3));
    assert_eq!(code.reveal().to_lowercase().parse(), Ok(code.clone()));
    assert_eq!(format!("{code:?}"), "DiscountCode(…)");
    assert!("D25-AAAAA".parse::<DiscountCode>().is_err());
}
