//! These tests check citations in code and links in Markdown: their targets must exist.

#![expect(clippy::unwrap_used, reason = "a test that cannot read the documents has to fail")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use regex::Regex;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The files of the repository that have one of the endings, as paths from the root. Git knows which these are; a
/// source archive has no history, so there the folders are walked.
fn files(endings: &[&str]) -> Vec<String> {
    let listed =
        Command::new("git").args(["ls-files", "-co", "--exclude-standard"]).current_dir(root()).output();
    let listed = listed.ok().filter(|output| output.status.success()).map(|output| output.stdout);
    let all = match listed {
        Some(output) => String::from_utf8(output).unwrap().lines().map(str::to_owned).collect(),
        None => {
            let mut found = Vec::new();
            walk(&root(), &mut found);
            found
        }
    };
    let has_ending = |path: &String| endings.iter().any(|ending| path.ends_with(ending));
    all.into_iter().filter(has_ending).filter(|path| root().join(path).is_file()).collect()
}

fn walk(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            if !["target", ".git", "data"].contains(&name) {
                walk(&path, found);
            }
        } else {
            found.push(path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned());
        }
    }
}

/// The anchors of a Markdown text: explicit ones, and one for each heading as GitHub makes them.
fn anchors(text: &str) -> BTreeSet<String> {
    let explicit = Regex::new(r#"<a id="([^"]+)""#).unwrap();
    let mut found: BTreeSet<String> = explicit.captures_iter(text).map(|one| one[1].to_owned()).collect();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut is_code = false;
    for line in text.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
        }
        let Some(heading) = line.strip_prefix('#').filter(|_| !is_code) else { continue };
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
        let slug: String = heading.chars().filter(kept).map(|c| if c == ' ' { '-' } else { c }).collect();
        let count = seen.entry(slug.clone()).or_default();
        found.insert(if *count == 0 { slug.clone() } else { format!("{slug}-{count}") });
        *count += 1;
    }
    found
}

/// A tag can be moved to other code, which then runs with the rights of the workflow.
#[test]
fn actions_of_workflows_are_pinned_to_commits() {
    let uses = Regex::new(r"uses: *(\S+)").unwrap();
    let pinned = Regex::new(r"^(?:\./.*|[^@]+@[0-9a-f]{40})$").unwrap();
    let workflows = files(&[".yml"]).into_iter().filter(|path| path.starts_with(".github/"));
    let texts: Vec<String> = workflows.map(|path| fs::read_to_string(root().join(path)).unwrap()).collect();
    let all = texts.iter().flat_map(|text| uses.captures_iter(text)).map(|one| one[1].to_owned());
    let loose: Vec<String> = all.filter(|action| !pinned.is_match(action)).collect();
    assert_eq!(loose, [""; 0]);
    // What compiles can get no token, and what can get one compiles nothing.
    let deploy = fs::read_to_string(root().join(".github/workflows/deploy.yml")).unwrap();
    let (build, others) = deploy.split_once("\n  plan:").unwrap();
    assert!(build.contains("make check-infra build") && !build.contains("id-token"));
    assert!(
        others.contains("id-token") && !others.contains("rust-cache") && !others.contains("make check-infra")
    );
    let (plan, execute) = others.split_once("\n  execute:").unwrap();
    let role = |text: &str| (text.contains("vars.AWS_PLAN_ROLE_ARN"), text.contains("vars.AWS_ROLE_ARN"));
    assert_eq!((role(plan), role(execute)), ((true, false), (false, true)), "two roles");
    let container = fs::read_to_string(root().join("infra/Dockerfile")).unwrap();
    assert!(container.contains("HEALTHCHECK") && container.contains("GET /healthz"));
}

/// The lines of the files with these endings that match, each with its place.
fn matching_lines(endings: &[&str], pattern: &Regex) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for path in files(endings) {
        let Ok(text) = fs::read_to_string(root().join(&path)) else { continue };
        let lines = text.lines().enumerate().filter(|(_, line)| pattern.is_match(line));
        found.extend(lines.map(|(number, line)| (format!("{path}:{}", number + 1), line.to_owned())));
    }
    found
}

#[test]
fn citations_of_documents_lead_to_an_anchor() {
    let citation = Regex::new(r"\b((?:decisions/)?[a-z0-9-]+\.md)(?:#([a-z0-9-]+))?").unwrap();
    let (mut wrong, mut count) = (Vec::new(), 0);
    let mut lines = matching_lines(&[".rs", ".py", ".html", ".yaml", "Makefile", ".toml"], &citation);
    // Product texts and fixtures name files of other projects.
    lines.retain(|(place, _)| !place.contains("/fixtures/") && !place.contains("/corpus/"));
    for (place, line) in lines {
        for one in citation.captures_iter(&line) {
            let document = root().join("shared/docs").join(&one[1]);
            let anchor = one.get(2).map(|anchor| anchor.as_str());
            if anchor.is_none() && !document.exists() {
                continue;
            }
            count += 1;
            let known = fs::read_to_string(&document).map(|text| anchors(&text)).unwrap_or_default();
            if anchor.is_some_and(|anchor| !known.contains(anchor)) {
                wrong.push(format!("{place}: {}", &one[0]));
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
    assert!(count > 50, "{count} citations were checked");
}

#[test]
fn code_cites_only_documents_of_the_repository() {
    let foreign = Regex::new(r#"(?i)contract "|design §|interface\.md|design\.md"#).unwrap();
    let all = [".rs", ".py", ".html", ".yaml", "Makefile", ".toml", ".md"];
    let mut wrong = matching_lines(&all, &foreign);
    wrong.retain(|(place, _)| !place.starts_with("tests/repository/"));
    assert_eq!(wrong, []);
}

#[test]
fn links_in_markdown_lead_to_a_file_and_an_anchor() {
    let link = Regex::new(r"\]\(([^)\s]+)\)").unwrap();
    let code = Regex::new(r"(?s)```.*?```|`[^`\n]*`").unwrap();
    let mut wrong = Vec::new();
    let mut count = 0;
    for path in files(&[".md"]) {
        let text = fs::read_to_string(root().join(&path)).unwrap();
        for one in link.captures_iter(&code.replace_all(&text, "")) {
            let target = &one[1];
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            count += 1;
            let (file, anchor) =
                target.split_once('#').map_or((target, None), |(file, anchor)| (file, Some(anchor)));
            let here = root().join(&path);
            let file = if file.is_empty() { here } else { here.parent().unwrap().join(file) };
            let exists = match (file.exists(), anchor) {
                (false, _) => false,
                (true, None) => true,
                (true, Some(anchor)) => {
                    fs::read_to_string(&file).is_ok_and(|text| anchors(&text).contains(anchor))
                }
            };
            if !exists {
                wrong.push(format!("{path}: {target}"));
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
    assert!(count > 50, "{count} links were checked");
}

#[test]
fn readme_stays_short() {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(text.lines().count() <= 200 && text.split_whitespace().count() <= 1200);
}

#[test]
fn settings_table_is_generated_from_the_code() {
    const MARKS: [&str; 2] = ["<!-- settings:begin -->\n", "<!-- settings:end -->"];
    let path = root().join("infra/README.md");
    let text = fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(MARKS[0]).unwrap();
    let (_, after) = rest.split_once(MARKS[1]).unwrap();
    let table = registry::settings::settings_table();
    let current = format!("{before}{}{table}{}{after}", MARKS[0], MARKS[1]);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &current).unwrap();
    }
    assert!(text == current || std::env::var_os("UPDATE").is_some(), "run UPDATE=1 cargo test -p repository");
}

#[test]
fn paths_in_documents_exist() {
    let path =
        Regex::new(r"`((?:shared|functions|infra|tests|events|\.ci|\.github)/[\w/.-]+\.\w+)`").unwrap();
    let mut wrong = Vec::new();
    let mut count = 0;
    for document in files(&[".md"]) {
        // The changelog and the decisions tell of what was.
        if document == "CHANGELOG.md" || document.contains("/decisions/") {
            continue;
        }
        let text = fs::read_to_string(root().join(&document)).unwrap();
        for one in path.captures_iter(&text) {
            count += 1;
            let folder = root().join(&document);
            let is_there = root().join(&one[1]).exists() || folder.parent().unwrap().join(&one[1]).exists();
            if !is_there {
                wrong.push(format!("{document}: {}", &one[1]));
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
    assert!(count > 50, "{count} paths were checked");
}
