use super::*;

#[test]
fn words_contain_only_letters_and_digits() {
    assert_eq!(words("Don't e-mail: K8s/Docker_2!"), ["dont", "e", "mail", "k8s", "docker", "2"]);
    assert_eq!(words("Größe 日本"), ["größe", "日本"]);
    assert!(words(" \u{1F980} ?!").is_empty());
}

#[test]
fn names_are_split_at_capitals() {
    assert_eq!(words_of_name("listPullRequests"), ["listpullrequests", "list", "pull", "requests"]);
    assert_eq!(words_of_name("HTMLParser"), ["htmlparser", "html", "parser"]);
    assert_eq!(words_of_name("arXiv"), ["arxiv", "ar", "xiv"]);
    assert_eq!(words_of_name("plain"), ["plain"]);
}

#[test]
fn quick_comparison_excludes_words_that_are_too_different() {
    let may = |a: &str, b: &str, edits| WordShape::of(a).may_be_within(WordShape::of(b), edits);
    assert!(may("gihtub", "github", 1) && may("kubernets", "kubernetes", 1) && may("slack", "slick", 1));
    assert!(!may("slack", "sleek", 1) && may("slack", "sleek", 2));
    assert!(!may("post", "posters", 2), "three letters longer");
    assert!(!may("k8s", "k8s", 3), "a word with a digit is not corrected");
}

#[test]
fn full_name_is_split_into_name_and_owner() {
    assert_eq!(name_and_owner("io.github.acme/weather"), ("weather", "io.github.acme"));
    assert_eq!(name_and_owner("com.acme.weather"), ("weather", "com.acme"));
    assert_eq!(name_and_owner("@acme/weather"), ("weather", "acme"));
    assert_eq!(name_and_owner("weather"), ("weather", ""));
}

#[test]
fn short_names_keep_only_letters_and_digits() {
    assert_eq!(display_name("acme/cloudWatch-logs"), "cloud Watch logs");
    assert_eq!(short_name("Weather MCP Server"), "weather");
    assert_eq!(short_name("MCP"), "mcp");
}
