use super::*;

const KEY: &str = "O2onvM62pC1io6jQKm8Nc2UyFXcd4kOmOsBIoYtZ2ik";

#[test]
fn unknown_keys_do_not_hide_known_keys() {
    let own = json!({ "kty": "OKP", "crv": "Ed25519", "x": KEY, "kid": "1" });
    let set = json!({ "keys": [{ "kty": "RSA" }, 1, own, null] });
    let keys = keys_of_key_set(&set);
    assert_eq!(keys.iter().map(|key| key.jwk().x).collect::<Vec<_>>(), [KEY]);
    for none in [json!({}), json!([]), json!({ "keys": {} }), json!({ "keys": "x" })] {
        assert!(keys_of_key_set(&none).is_empty(), "{none}");
    }
}

#[test]
fn only_keys_for_verifying_signatures_count() {
    let count = |member: &str, value: Value| {
        let mut key = json!({ "kty": "OKP", "crv": "Ed25519", "x": KEY });
        key[member] = value;
        keys_of_key_set(&json!({ "keys": [key] })).len()
    };
    for (member, value) in [
        ("use", json!("sig")),
        ("key_ops", json!(["sign", "verify"])),
        ("alg", json!("EdDSA")),
        ("alg", json!("Ed25519")),
    ] {
        assert_eq!(count(member, value.clone()), 1, "{member} {value}");
    }
    for (member, value) in [
        ("use", json!("enc")),
        ("use", json!(1)),
        ("key_ops", json!(["encrypt"])),
        ("key_ops", json!("verify")),
        ("alg", json!("ES256")),
        ("alg", json!("ECDH-ES")),
    ] {
        assert_eq!(count(member, value.clone()), 0, "{member} {value}");
    }
}
