use super::*;
use crate::entry::{IndexEntry, IndexedListing, IndexedText};
use crate::index::Index;

/// An index over listings of these descriptions, six of each.
fn index(descriptions: &[&str]) -> Index {
    let entry = |(n, text): (usize, &&str)| {
        let text = IndexedText { description: (*text).to_owned(), ..IndexedText::default() };
        IndexEntry::from_text(IndexedListing::example(&format!("mcp-{n}")), &text)
    };
    Index::default().with((0..6).flat_map(|_| descriptions).enumerate().map(entry))
}

fn parsed(text: &str, index: &Index) -> ParsedQuery {
    ParsedQuery::of(text, index, MAX_EXPANDED_TERMS)
}

fn expansions(query: &ParsedQuery, word: &str) -> Vec<String> {
    let term = query.terms.iter().find(|term| term.word == word);
    term.unwrap_or_else(|| panic!("{word} is no term of {query:?}"))
        .stems
        .iter()
        .map(|s| s.0.clone())
        .collect()
}

#[test]
fn generic_words_are_dropped_unless_the_query_has_no_other_words() {
    let index = index(&["weather"]);
    let query_words = parsed("Please find me a good tool for the weather", &index);
    assert_eq!(query_words.terms.iter().map(|term| term.word.as_str()).collect::<Vec<_>>(), ["weather"]);
    assert_eq!(parsed("the best tools", &index).terms.len(), 2);
    assert!(parsed("of the and", &index).terms.is_empty());
}

#[test]
fn typos_are_corrected_to_words_of_listings() {
    let index = index(&["manages kubernetes clusters", "reads weather forecasts"]);
    let query_words = parsed("kubernettes wether", &index);
    assert!(expansions(&query_words, "kubernettes").contains(&stem("kubernetes")));
    assert!(query_words.corrected && query_words.text.starts_with("kubernetes"), "{query_words:?}");
    let right = parsed("weather forecast for clusters", &index);
    assert!(!right.corrected, "an inflected form is no typing error: {right:?}");
    let index = self::index(&["signed statements", "queries in public"]);
    assert!(parsed("siguned statments", &index).corrected);
    let swedish = parsed("vilken tjanst kan statmens hjalpa oss", &index);
    assert!(!swedish.corrected, "another language is no typing error: {swedish:?}");
}

#[test]
fn words_of_a_phrase_are_shown_only_as_the_listing_writes_them() {
    let index = index(&["Weather forecasts for sailors"]);
    let query = parsed("do i need an umbrella", &index);
    assert_eq!(crate::engine::matched_words(&index, &query, 0).0, ["weather"]);
}

#[test]
fn query_in_another_language_is_translated() {
    for (query, text) in [
        (
            "Ich suche einen Agenten, der Dokumente ins Deutsche übersetzt",
            "agent document german translate translation",
        ),
        ("Bonjour, avez-vous un serveur qui donne la météo ?", "server weather forecast"),
        ("Wettervorhersage", "weather forecast forecast"),
        ("find an agent that plans a trip to La Paz", "find an agent that plans a trip to la paz"),
    ] {
        assert_eq!(parsed(query, &Index::default()).text, text, "{query}");
    }
}

#[test]
fn query_words_are_joined_or_split_to_match_words_of_listings() {
    let index = index(&["github issues", "google drive files"]);
    assert!(expansions(&parsed("git hub issues", &index), "git").contains(&stem("github")));
    let apart = parsed("googledrive", &index);
    let stems = expansions(&apart, "googledrive");
    assert!(stems.contains(&stem("google")) && stems.contains(&stem("drive")), "{stems:?}");
}

#[test]
fn synonyms_match_and_repeated_words_count_once() {
    let index = index(&["kubernetes"]);
    assert!(expansions(&parsed("k8s", &index), "k8s").contains(&stem("kubernetes")));
    assert!(expansions(&parsed("kubernetes", &index), "kubernetes").contains(&stem("k8s")));
    assert!(expansions(&parsed("open pull request", &index), "pull").contains(&stem("merge")));
    assert_eq!(parsed("maps and maps", &index).terms.len(), 1);
}

#[test]
fn kind_of_listing_is_detected_in_queries() {
    let examples = [
        ("find me an agent that plans trips", Some(Kind::Agent)),
        ("I need a travel booking agent for families", Some(Kind::Agent)),
        ("a weather server, my agent needs it", Some(Kind::Mcp)),
        ("postgres mcp server", Some(Kind::Mcp)),
        ("an MCP server for GitHub issues", Some(Kind::Mcp)),
        ("memory for AI agents", None),
        ("a platform to build agents", None),
        ("send messages to another agent", None),
        ("weather forecast", None),
    ];
    for (query, kind) in examples {
        assert_eq!(requested_kind(query), kind, "{query}");
    }
}

#[test]
fn edit_distance_counts_two_swapped_letters_as_one_edit() {
    let between = strsim::osa_distance;
    assert_eq!(between("kubernets", "kubernetes"), 1);
    assert_eq!(between("gihtub", "github"), 1);
    assert_eq!(between("pyhton", "python"), 1);
    assert_eq!(between("slack", "slack"), 0);
    assert!(between("calender", "weather") > 2 && between("ab", "abcdef") > 2);
}

#[test]
fn words_that_sound_similar_have_the_same_phonetic_key() {
    let alike = |a: &str, b: &str| skeleton(a).eq(skeleton(b));
    assert!(alike("calender", "calendar") && alike("managment", "management"));
    assert!(!alike("weather", "whether"));
}
