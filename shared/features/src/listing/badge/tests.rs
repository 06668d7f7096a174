use super::*;

fn numbers(svg: &str, attribute: &str) -> Vec<u32> {
    let before = format!(" {attribute}=\"");
    let parts = svg.split(&before).skip(1);
    parts.map(|part| part.split('"').next().unwrap().parse().unwrap()).collect()
}

#[test]
fn badge_is_wide_enough_for_its_texts_in_whole_pixels() {
    for word in ["live", "verified handshake, name claimed", "not an mcp server", "unknown"] {
        let svg = svg("Agent and MCP Registry", word, GREEN);
        let (widths, lengths, x) = (numbers(&svg, "width"), numbers(&svg, "textLength"), numbers(&svg, "x"));
        let [all, _, left, right] = widths[..] else { panic!("{widths:?}") };
        assert_eq!(left + right, all, "{svg}");
        assert_eq!((lengths[0] + 2 * PADDING, lengths[1] + 2 * PADDING), (left, right));
        assert_eq!(x, [left, PADDING, left + PADDING]);
        assert!(svg.contains(&format!("<title>Agent and MCP Registry: {word}</title>")), "{svg}");
    }
}

#[test]
fn brand_is_escaped() {
    let svg = svg("<script>\"&", "live", GREEN);
    assert!(svg.contains(r#"aria-label="&lt;script&gt;&quot;&amp;: live""#), "{svg}");
    assert!(!svg.contains("<script"), "{svg}");
}
