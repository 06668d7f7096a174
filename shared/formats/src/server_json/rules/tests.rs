use super::*;

#[test]
fn a_name_has_a_reversed_domain_and_a_second_part() {
    for name in ["io.github.user/weather", "127.0.0.1/mcp_1", "ab/cd"] {
        assert!(is_name(name), "{name}");
    }
    for name in ["", "weather", "a/b/c", "io.github.user/", "-a.b/cd", "ab/c", "ab/c d"] {
        assert!(!is_name(name), "{name}");
    }
    assert!(!is_name(&format!("ab/{}", "c".repeat(198))));
}

#[test]
fn display_name_must_not_be_the_server_name_of_another_listing() {
    let own = Some("org.example/adder");
    assert!(is_name_of_another("com.stripe/payments", own));
    assert!(is_name_of_another(" com.stripe/payments ", own));
    assert!(is_name_of_another("org.example/adder", None));
    assert!(!is_name_of_another("org.example/adder", own));
    assert!(!is_name_of_another("Payments / Stripe", own));
    assert!(!is_name_of_another("TCP/IP", own));
}

#[test]
fn repositories_are_on_github_or_gitlab() {
    assert!(is_repository("https://github.com/owner/repo", "github.com", 2..=2));
    assert!(is_repository("http://www.github.com/owner/repo.git/", "github.com", 2..=2));
    assert!(is_repository("https://gitlab.com/group/sub/repo", "gitlab.com", 2..=20));
    let refused = "https://github.com/owner https://github.com/o/r/tree git@github.com:o/r \
                   https://github.com.evil.example/o/r https://github.com//r https://github.com/o/r?x";
    for url in refused.split(' ') {
        assert!(!is_repository(url, "github.com", 2..=2), "{url}");
    }
}

#[test]
fn subfolders_are_plain_relative_paths() {
    for path in ["src", "src/server", "a.b/c_d-e"] {
        assert!(is_subfolder(path), "{path}");
    }
    for path in ["/src", "src/", "a//b", "./a", "a/../b", "a b", "a\\b"] {
        assert!(!is_subfolder(path), "{path}");
    }
}
