use super::*;

#[test]
fn markup_is_escaped() {
    assert_eq!(prose("# Hi\n* <b>you</b> [x](y) a_b _c_", 99), r"\# Hi \* \<b>you\</b> \[x\](y) a_b \_c\_");
    assert_eq!(
        prose("url: \"https://a.org/x_y_\", see HTTP://b.org/*. www www.c.org", 99),
        "url: \"`https://a.org/x_y_`\", see `HTTP://b.org/*`. www `www.c.org`"
    );
    for (text, shown) in
        [("1. one", r"1\. one"), ("2.0", "2.0"), ("> a", r"\> a"), ("---", r"\---"), ("7)", r"7\)")]
    {
        assert_eq!(prose(text, 99), shown);
    }
    assert_eq!(prose("one two three", 9), "one two…");
    assert_eq!(code("a`b``c", 99), "```a`b``c```");
    assert_eq!(code("`", 99), "`` ` ``");
    assert_eq!(table_row([&code("a|b", 9), &prose("c|d", 9)]), r"| `a\|b` | c\|d |");
    assert_eq!(plain("a\u{202E}b\n---\n\u{7}c", 99), "a b --- c");
}

#[test]
fn slug_is_valid_for_agent_skills() {
    assert_eq!(slug("Météo & Weather™ 2").as_deref(), Some("meteo-weathertm-2"));
    assert_eq!(slug("--A  b--").as_deref(), Some("a-b"));
    assert_eq!(slug("天気"), None);
    assert_eq!(slug(&"ab-".repeat(50)).map(|slug| slug.len()), Some(64));
    assert_eq!(slug_after("improve", &"a".repeat(64)).len(), 64);
}

#[test]
fn only_http_urls_without_credentials_pass() {
    assert_eq!(address(Some(" https://a.org/x y ")).as_deref(), Some("https://a.org/x%20y"));
    for url in ["javascript:alert(1)", "https://u:p@a.org", "a.org", "file:///etc/passwd"] {
        assert_eq!(address(Some(url)), None, "{url}");
    }
}
