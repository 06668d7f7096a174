use crate::a2a::intent::parsed_text::ParsedText;

#[test]
fn urls_end_before_the_punctuation_of_the_sentence() {
    for (text, url) in [
        ("list https://a.example/card.json.", "https://a.example/card.json"),
        ("(see https://a.example/x_(y))", "https://a.example/x_(y)"),
        ("<https://a.example/>", "https://a.example/"),
        ("[card](https://a.example/card.json), please", "https://a.example/card.json"),
        ("url=HTTPS://A.example/x?y=1&z=2!", "HTTPS://A.example/x?y=1&z=2"),
        ("\"https://a.example/card.json\"", "https://a.example/card.json"),
        ("请列出 https://a.example/card.json。谢谢", "https://a.example/card.json"),
        ("at agent.acme.dev", "https://agent.acme.dev"),
        ("at agent.acme.dev/mcp/.", "https://agent.acme.dev/mcp/"),
    ] {
        assert_eq!(ParsedText::parse(text).urls, [url], "{text}");
    }
    for text in ["read agent.json and README.md", "node.js", "e.g. this", "1.2.3", "me@acme.dev", "v2.0"] {
        assert_eq!(ParsedText::parse(text).urls, [""; 0], "{text}");
    }
}

#[test]
fn ids_are_distinguished_from_ordinary_words() {
    let parsed =
        ParsedText::parse("Is agtpub_0123456789abcdef0123 live? And mcp-io-github-acme, or `agent-x.y`?");
    assert_eq!(parsed.ids, ["agtpub_0123456789abcdef0123", "mcp-io-github-acme", "agent-x.y"]);
    assert_eq!(ParsedText::parse("an mcp-server with an agent-card, agent-to-agent").ids, [""; 0]);
}
