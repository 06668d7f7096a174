use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue as Value;

use super::*;
use crate::table::attributes::n;

fn item(attributes: &[(&str, Value)]) -> Item {
    attributes.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

#[test]
fn every_type_of_attribute_survives_as_text() {
    let item = item(&[
        ("pk", s("a\nb\u{1}\"ü")),
        ("number", n("12345678901234567890123456789012345678")),
        ("small", n("0.0000000001")),
        ("bytes", Value::B(Blob::new([0, 10, 255]))),
        ("list", Value::L(vec![s(""), Value::Bool(false), Value::Null(true)])),
        ("map", Value::M([("x".to_owned(), Value::Ss(vec!["1".to_owned()]))].into())),
        ("numbers", Value::Ns(vec!["1.50".to_owned()])),
        ("blobs", Value::Bs(vec![Blob::new([0])])),
    ]);
    let line = serde_json::to_string(&Line { item: item.clone().into() }).unwrap();
    assert!(!line.contains('\n') && line.contains(r#""bytes":{"B":"AAr/"}"#), "{line}");
    assert_eq!(Item::from(serde_json::from_str::<Line>(&line).unwrap().item), item);
}

#[test]
fn keys_of_a_key_service_are_not_imported_as_keys() {
    let key = |pk: &str, secret: &str| item(&[("pk", s(pk)), ("secret", s(secret))]);
    let imported = |pk: &str, secret: &str| without_key_service(key(pk, secret));
    assert_eq!(imported("KEY#LOG", "PRIVATE+KEY+x"), Ok(Some(key("KEY#LOG", "PRIVATE+KEY+x"))));
    assert_eq!(imported("KEY#ES256", "service:a"), Ok(Some(key("KEY#ES256", "left:service:a"))));
    assert_eq!(imported("KEY#MESSAGE", "service:b"), Ok(None));
    assert!(imported("KEY#LOG", "service:c").unwrap_err().contains("cannot leave it"));
}
