use super::*;

fn adder() -> Capability {
    Capability {
        name: " adder ".to_owned(),
        kind: CapabilityKind::Mcp,
        description: "Adds.".to_owned(),
        tools: vec!["sub".to_owned(), "add".to_owned(), " add".to_owned()],
        skills: Vec::new(),
        tags: Vec::new(),
    }
    .normalised()
}

/// The digest was made by `printf '%s' '…' | sha256sum`.
#[test]
fn hash_covers_the_canonical_text() {
    let text =
        r#"{"description":"Adds.","kind":"mcp","name":"adder","skills":[],"tags":[],"tools":["add","sub"]}"#;
    assert_eq!(adder().canonical().unwrap(), text);
    assert_eq!(adder().hash().unwrap(), "cap_7d161d064feff4bd371bd64d");
}

#[test]
fn hash_covers_the_first_five_hundred_characters_of_a_description() {
    let described = |text: String| Capability { description: text, ..adder() }.normalised().hash().unwrap();
    let ä = |times| "ä".repeat(times);
    assert_eq!(described(ä(500)), described(ä(501)));
    assert_ne!(described(ä(499)), described(ä(500)));
}
