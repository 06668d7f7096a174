use super::*;

fn read<T: Default + fmt::Display + FromStr>(text: &str) -> Option<T> {
    position(Some(text)).ok()
}

fn write(position: impl fmt::Display) -> String {
    Cursor(position).to_string()
}

#[test]
fn page_token_is_unchanged_after_encoding_and_decoding() {
    assert_eq!(read(&write(HitsBefore(40))), Some(HitsBefore(40)));
    let deep = ListPosition { after: Some("org.example/Größe: x".to_owned()), rows: 7 };
    for there in [ListPosition::default(), deep] {
        assert_eq!(read(&write(&there)), Some(there));
    }
    assert_eq!(position(None).ok(), Some(HitsBefore(0)));
    assert_eq!(read(""), Some(ListPosition::default()));
}

#[test]
fn page_token_that_the_registry_did_not_create_is_refused() {
    for token in [
        "nonsense!",
        "e30",
        &write(ListPosition::default()),
        &write(HitsBefore(MAX_OFFSET + 1)),
        &write("hits:-1"),
        &write("hits:+1"),
        &write("hits:01"),
    ] {
        assert_eq!(read::<HitsBefore>(token), None, "{token}");
    }
    for token in [write(HitsBefore(1)), write("list:+1:a")] {
        assert_eq!(read::<ListPosition>(&token), None, "{token}");
    }
}
