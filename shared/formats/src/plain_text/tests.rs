use super::*;

fn fault_of(words: &str, is_name: bool) -> Option<String> {
    fault(words, if is_name { TextKind::Name } else { TextKind::Description })
}

#[test]
fn plain_texts_of_any_language_pass() {
    let names = [
        "Weather agent",
        "天気エージェント",
        "Agent « Météo »",
        "سفر بخیر",
        "👩‍💻 Coder",
        "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F} Agent",
        "C++ <3",
        "A < B > C",
        "می\u{200C}خواهم",
        "❤\u{FE0F}\u{200D}🔥 1\u{FE0F}\u{20E3} 葛\u{E0100}飾 ᠮ\u{180B}",
    ];
    for name in names {
        assert_eq!(fault_of(name, true), None, "{name}");
    }
    let descriptions = [
        "Lines\nand\ttabs.\r\n",
        "Weather for <city>, in <unit>.",
        "Converts <h1> headings and <b>bold</b> text to Markdown.",
        "See [the docs](https://example.com).",
        "if a<b then x = 1",
        "Adds a <script> or <style> tag to the page.",
        "Takes List<String> values.",
    ];
    for description in descriptions {
        assert_eq!(fault_of(description, false), None, "{description}");
    }
}

#[test]
fn hidden_characters_markup_and_long_names_are_found() {
    let names = [
        ("a\u{0}b", "control character (U+0000)"),
        ("a\nb", "control character (U+000A)"),
        ("a\u{1B}[31m", "control character (U+001B)"),
        ("a\u{202E}b", "changes the text direction (U+202E)"),
        ("a\u{2066}b", "changes the text direction (U+2066)"),
        ("a\u{200B}b", "invisible character (U+200B)"),
        ("a\u{3164}b", "invisible character (U+3164)"),
        ("a\u{FE01}b", "invisible character (U+FE01)"),
        ("a\u{FFFF}b", "invisible character (U+FFFF)"),
        ("❤\u{FE0F}\u{E0101}", "invisible character (U+E0101)"),
        ("可\u{200C}\u{200D}\u{200C}", "invisible character (U+200C)"),
        ("a\u{E0041}b", "tag character (U+E0041)"),
        ("a\u{E000}2Jb", "private-use character (U+E000)"),
        ("<b>Best</b>", "markup"),
        ("</title>", "markup"),
        ("<img src=x>", "markup"),
        ("<svg/onload=alert(1)>", "markup"),
        ("![x](https://evil.example/p.png)", "markup"),
    ];
    for (name, why) in names {
        assert!(fault_of(name, true).is_some_and(|fault| fault.contains(why)), "{name}");
        assert!(fault(name, TextKind::Label).is_some_and(|fault| fault.contains(why)), "{name}");
    }
    let descriptions = [
        "<script>alert(1)</script>",
        "<script>0<1;0<2;alert(1)</script>",
        "[x](<javascript:alert(1)>)",
        "[x][1] [1]: javascript:alert(1)",
        "<math href=\"javascript:alert(1)\">",
        "<SCRIPT src=//x>",
        "<img src=x onerror=alert(1)>",
        "<a href='https://x'>x</a>",
        "<x onload=1>",
        "<svg/onload=alert(1)>",
        "<x id=''onload=1>",
        "<script/src=//x>",
        "text <!-- hidden instructions --> text",
        "[click](javascript:alert(1))",
        "hidden 🏴\u{E0069}\u{E0067}\u{E006E}\u{E006F}\u{E0072}\u{E0065}\u{E0020}\u{E0061} text",
    ];
    for description in descriptions {
        assert!(fault_of(description, false).is_some(), "{description}");
    }
    assert!(fault_of(&"x".repeat(LONGEST_NAME + 1), true).is_some());
    assert!(fault_of(&"x".repeat(LONGEST_NAME), true).is_none());
    assert!(fault_of(&"x".repeat(100_000), false).is_none(), "it is cut when shown");
}

#[test]
fn texts_for_models_must_not_hide_anything() {
    let hiding = ["a\u{0}b", "a\u{202E}b", "a\u{200B}b", "a\u{E0041}b"];
    for words in hiding {
        assert!(fault(words, TextKind::ForModels).is_some(), "{words:?}");
        assert_eq!(fault(words, TextKind::Value), None, "a pattern may contain such a character");
    }
    assert_eq!(fault("Write <a href='x'>,\nin a line.", TextKind::ForModels), None);
}
