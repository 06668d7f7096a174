use p256::ecdsa::SigningKey;
use p256::ecdsa::signature::Signer as _;
use ring::signature::{Ed25519KeyPair, KeyPair as _};

use super::*;

fn jwk(value: &Value) -> Result<PublicKey, InvalidKey> {
    PublicKey::from_jwk(value.as_object().unwrap())
}

#[test]
fn key_records_are_parsed_as_in_the_official_registry() {
    let key = BASE64.encode([7; 32]);
    let read = PublicKey::from_record(&format!("v=MCPv1;k=ed25519;p={key}\r")).unwrap();
    assert_eq!(read, PublicKey::Ed25519([7; 32]));
    assert_eq!(read.record(), Some(format!("v=MCPv1; k=ed25519; p={key}")));
    for text in [
        "",
        "v=MCPv1; k=ed25519; p=",
        &format!("v=MCPv2; k=ed25519; p={key}"),
        &format!("v=MCPv1; k=ecdsap384; p={key}"),
        &format!("v=MCPv1; p={key}"),
        "v=MCPv1; k=ed25519; p=AAAA",
    ] {
        assert_eq!(PublicKey::from_record(text), Err(InvalidKey), "{text}");
    }
}

#[test]
fn every_form_of_a_public_key_gives_the_same_key() {
    let pair = Ed25519KeyPair::from_seed_unchecked(&[3; 32]).unwrap();
    let bytes: [u8; 32] = pair.public_key().as_ref().try_into().unwrap();
    let key = PublicKey::Ed25519(bytes);
    let pem = |info: &[u8], key: &[u8]| {
        let text = BASE64.encode([info, key].concat());
        format!("-----BEGIN PUBLIC KEY-----\n{text}\n-----END PUBLIC KEY-----\n")
    };
    assert_eq!(PublicKey::from_pem(&pem(&ED25519_INFO, &bytes)), Ok(key.clone()));
    assert_eq!(jwk(&serde_json::to_value(key.jwk()).unwrap()), Ok(key.clone()));
    let signature = Signature::parse(&BASE64URL.encode(pair.sign(b"text"))).unwrap();
    assert!(key.signed("text", &signature) && !key.signed("other", &signature));

    let signing = SigningKey::from_slice(&[5; 32]).unwrap();
    let key = PublicKey::P256(Box::new(*signing.verifying_key()));
    let point = signing.verifying_key().to_sec1_point(false);
    assert_eq!(PublicKey::from_pem(&pem(&P256_INFO, point.as_bytes())), Ok(key.clone()));
    assert_eq!(jwk(&serde_json::to_value(key.jwk()).unwrap()), Ok(key.clone()));
    let made: p256::ecdsa::Signature = signing.sign(b"text");
    for form in [BASE64URL.encode(made.to_bytes()), BASE64.encode(made.to_der().as_bytes())] {
        let signature = Signature::parse(&form).unwrap();
        assert!(key.signed("text", &signature) && !key.signed("other", &signature), "{form}");
    }
}

#[test]
fn invalid_keys_are_refused() {
    for wrong in [
        json!({}),
        json!({ "kty": "RSA", "n": "AQAB", "e": "AQAB" }),
        json!({ "kty": "OKP", "crv": "X25519", "x": "A".repeat(43) }),
        json!({ "kty": "OKP", "crv": "Ed25519", "x": "AAAA" }),
        json!({ "kty": "OKP", "crv": "Ed25519", "x": "A".repeat(43), "d": "A".repeat(43) }),
        json!({ "kty": "EC", "crv": "P-256", "x": "A".repeat(43), "y": "A".repeat(43) }),
    ] {
        assert_eq!(jwk(&wrong), Err(InvalidKey), "{wrong}");
    }
    for wrong in ["", "-----BEGIN PUBLIC KEY----------END PUBLIC KEY-----", "-----BEGIN PRIVATE KEY-----"] {
        assert_eq!(PublicKey::from_pem(wrong), Err(InvalidKey), "{wrong}");
    }
}

#[test]
fn hexadecimal_text_is_parsed() {
    assert_eq!(from_hex("00fF"), Some(vec![0, 255]));
    for text in ["0", "0g", "+1", "é"] {
        assert_eq!(from_hex(text), None, "{text}");
    }
}

#[test]
fn every_encoding_gives_the_same_signature() {
    let bytes: Vec<u8> = (100..164).collect();
    let hex = registry_model::hex(&bytes);
    let read = Some(Signature(bytes.clone()));
    for text in [hex, BASE64URL.encode(&bytes), BASE64.encode(&bytes)] {
        assert_eq!(Signature::parse(&text), read, "{text}");
    }
    for text in ["", "AAAA", "not a signature", &"A".repeat(200)] {
        assert_eq!(Signature::parse(text), None, "{text}");
    }
}
