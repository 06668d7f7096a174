//! What the Recursive product adds: a list of fixes with the points that each gains, a patch for what can be fixed in the
//! document of the listing, a skill that fixes one point at a time, and a log.

use serde_json::{Value, json};

use super::ability::{Ability, MAX_ROWS};
use super::lint::{self, Finding};
use super::page::{File, Page, items, shell_block, steps, table};
use super::patch::Patch;
use super::profile::{Profile, Weakness};
use super::text::{address, code, codes, plain, prose, query, scalar, slug_after};
use super::{about, calls};
use registry_model::Kind;
use registry_model::settings::Settings;

/// Descriptions that a round can improve; each has a long rewrite.
const MAX_BETTER: usize = 30;

pub(super) fn slug(profile: &Profile) -> String {
    slug_after("improve", &profile.slug())
}

pub(super) fn of(profile: &Profile, settings: &Settings, abilities: &[Ability], cases: usize) -> Vec<File> {
    let findings = lint::of(abilities, profile.kind);
    let patch = Patch::of(profile, abilities);
    let mut files = vec![
        skill(profile, settings, &findings, &patch, cases),
        regression(profile, settings, &findings, &patch),
        log(profile),
    ];
    files.extend(patch_files(profile, &patch));
    files
}

/// The patch, and for a server its whole corrected document.
fn patch_files(profile: &Profile, patch: &Patch) -> Vec<File> {
    if patch.operations.is_empty() {
        return Vec::new();
    }
    let mut files = vec![File::json(patch_path(profile), &json!(patch.operations))];
    files.extend(
        profile.server_json.as_ref().map(|own| File::json("server.json", &json!(patch.applied(own)))),
    );
    files
}

const fn patch_path(profile: &Profile) -> &'static str {
    match profile.kind {
        Kind::Agent => "fixes/agent-card.patch.json",
        Kind::Mcp => "fixes/server.patch.json",
    }
}

pub(super) fn open(profile: &Profile) -> Vec<Weakness> {
    let weaknesses = profile.proof.iter().flat_map(|proof| proof.weaknesses.iter().cloned());
    weaknesses.take(MAX_ROWS).collect()
}

fn score_line(profile: &Profile, settings: &Settings) -> Option<String> {
    let card = address(profile.card_url.as_deref()).or_else(|| about::endpoint(profile))?;
    Some(calls::get(&settings.url(&format!("/api/score?url={}", query(&card)))))
}

fn skill(profile: &Profile, settings: &Settings, findings: &[Finding], patch: &Patch, cases: usize) -> File {
    let name = about::name(profile);
    let plain_name = about::plain_name(profile);
    let slug = slug(profile);
    let description = format!(
        "Improves {plain_name} one change at a time. Use after a case of evaluation.jsonl failed, while regression.md has \
         an open line, or after a complaint about {plain_name}."
    );
    let mut page = Page::skill(&slug, &scalar(&description, 1000), Vec::new());
    page.title(&format!("Improve {name}"));
    page.block(steps(round(profile, patch, findings, cases)));
    page.section(&format!("Improve the descriptions of {name}"), better(profile, findings));
    page.section(
        &format!("A log entry of {name}"),
        vec![format!("`{}`", example(profile, &open(profile), findings).to_string().replace('`', "'"))],
    );
    page.section(
        &format!("Check the score of {name} at the registry"),
        shell_block(score_line(profile, settings).into_iter().collect()),
    );
    page.into_file(&format!("skills/{slug}/SKILL.md"))
}

fn round(profile: &Profile, patch: &Patch, findings: &[Finding], cases: usize) -> Vec<String> {
    let name = about::name(profile);
    let mut choice = "If all pass, choose the first open line of `regression.md`".to_owned();
    if !patch.operations.is_empty() {
        choice = format!(
            "If all pass, apply {}. After that, choose the first open line of `regression.md`",
            code(patch_path(profile), 60)
        );
    }
    if !findings.is_empty() {
        choice.push_str(", else the first description below");
    }
    vec![
        format!(
            "Observe: run the {cases} cases of `evaluation.jsonl` against {name}, and choose the first case that fails. {choice}."
        ),
        format!("Revise: change only one text or one handler of {name}."),
        format!(
            "Deploy the change, or start your build and set `EVALUATION_URL` to its URL. Without this, the cases call the old {name}."
        ),
        format!(
            "Verify: all {cases} cases pass again, and every checked line of `regression.md` is still true. After a deployment, the \
             score of {name} is not lower than `score` in the last line of `improvement-log.jsonl`."
        ),
        format!(
            "Keep the change or revert it. In both cases, add one line to `improvement-log.jsonl` of {name} that says what \
             you tried. If you keep it, check its line in `regression.md`."
        ),
    ]
}

fn better(profile: &Profile, findings: &[Finding]) -> Vec<String> {
    let rows = findings.iter().take(MAX_BETTER).map(|finding| {
        [code(&finding.id, 64), prose(&finding.faults.join("; "), 240), finding.advice().join(" ")]
    });
    let mut lines = table(
        [&format!("Ability of {}", about::name(profile)), "What is wrong", "What to do"],
        rows.collect(),
    );
    if findings.len() > MAX_BETTER {
        lines.push(String::new());
        lines.push(format!("{} more are not shown.", findings.len() - MAX_BETTER));
    }
    lines
}

fn example(profile: &Profile, open: &[Weakness], findings: &[Finding]) -> Value {
    let score = profile.proof.as_ref().map(|proof| proof.score);
    let (id, seen) = match (open.first(), findings.first()) {
        (Some(weakness), _) => (plain(&weakness.id, 60), plain(&weakness.seen, 120)),
        (None, Some(finding)) => (plain(&finding.id, 60), plain(&finding.faults.join("; "), 120)),
        (None, None) => (profile.slug(), String::new()),
    };
    json!({ "entry": "change", "of": id, "critique": seen, "change": null, "score_before": score, "score_after": null, "kept": null })
}

fn regression(profile: &Profile, settings: &Settings, findings: &[Finding], patch: &Patch) -> File {
    let name = about::name(profile);
    let mut page = Page::default();
    page.title(&format!("{name}: regression checklist"));
    page.block(about::proof(profile, settings).into_iter().collect());
    page.section(&format!("Ready patch for {name}"), ready(profile, patch));
    let open = open(profile).into_iter().map(|weakness| {
        let mark = if weakness.blocking { " prevents it from being Live;" } else { "" };
        let gain = match (weakness.points, patch.gain(&weakness.id)) {
            (0, _) => String::new(),
            (points, None) => format!(" **+{points}**"),
            (points, Some(ready)) => format!(" **+{points}**, of which the patch gains {ready}"),
        };
        format!(
            "[ ] {}:{mark} {} → {}{gain}",
            code(&weakness.id, 60),
            prose(&weakness.seen, 300),
            prose(&weakness.fix, 400)
        )
    });
    page.section(&format!("Points that {name} lost in its last proof"), items(open.collect()));
    let parts = profile
        .proof
        .iter()
        .flat_map(|proof| proof.parts.iter())
        .filter(|part| part.points > 0 && part.points == part.of)
        .map(|part| {
            // A measured time is another one in the next proof.
            let why = prose(part.why.trim_end_matches('.'), 160);
            let why = if part.id == "latency" { String::new() } else { format!(" ({why})") };
            format!("[x] {}: all {} points{why}", code(&part.id, 40), part.of)
        });
    page.section(&format!("Parts with all points in the last proof of {name}"), items(parts.collect()));
    let texts = findings
        .iter()
        .take(MAX_ROWS)
        .map(|finding| format!("[ ] {}: {}", code(&finding.id, 64), prose(&finding.faults.join("; "), 240)));
    page.section(&format!("Descriptions of {name} to improve"), items(texts.collect()));
    let missing = about::missing(profile).into_iter().map(|what| format!("[ ] {what}"));
    page.section(&format!("Missing for {name}"), items(missing.collect()));
    page.into_file("regression.md")
}

fn ready(profile: &Profile, patch: &Patch) -> Vec<String> {
    if patch.operations.is_empty() {
        return Vec::new();
    }
    let score = profile
        .proof
        .as_ref()
        .map(|proof| format!(", from {} to {}", proof.score, proof.score + patch.points()));
    let members = patch.operations.iter().filter_map(|operation| operation["path"].as_str());
    let (document, done) = match profile.kind {
        Kind::Mcp => ("server.json", profile.server_json.is_some()),
        Kind::Agent => ("agent-card.json", false),
    };
    let applied = match done {
        true => "`server.json` is your document with this patch.".to_owned(),
        false => format!(
            "To apply it: `uvx --from jsonpatch jsonpatch {document} {}` prints the new document.",
            patch_path(profile)
        ),
    };
    let mut lines = vec![format!(
        "{} sets only {} and keeps all other members. It raises the score by {} points{}. {applied}",
        code(patch_path(profile), 60),
        codes(members, MAX_ROWS),
        patch.points(),
        score.unwrap_or_default(),
    )];
    if profile.kind == Kind::Mcp {
        lines.push(
            "Publish it with a proof of its name (DNS, HTTP, GitHub Actions or the file in the repository). Without a proof, the \
             registry keeps the texts of a server that is Live."
                .to_owned(),
        );
    }
    lines.push(String::new());
    let gains = patch
        .gains
        .iter()
        .map(|(part, points, what)| format!("{}: {}, **+{points}**", code(part, 40), prose(what, 300)));
    lines.extend(items(gains.collect()));
    lines
}

fn log(profile: &Profile) -> File {
    let slug = profile.slug();
    let at = profile.proof.as_ref().map(|proof| proof.probed_at.to_string());
    let parts: serde_json::Map<String, Value> = profile
        .proof
        .iter()
        .flat_map(|proof| proof.parts.iter())
        .map(|part| (plain(&part.id, 40), json!([part.points, part.of])))
        .collect();
    let score = profile.proof.as_ref().map(|proof| proof.score);
    let mut lines =
        vec![json!({ "entry": "baseline", "of": slug, "at": at, "score": score, "parts": parts })];
    lines.extend(open(profile).iter().map(|weakness| {
        let (seen, fix) = (plain(&weakness.seen, 300), plain(&weakness.fix, 400));
        json!({ "entry": "open", "of": plain(&weakness.id, 60), "at": at, "seen": seen, "fix": fix, "points": weakness.points })
    }));
    let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
    File::json_lines("improvement-log.jsonl", &lines)
}
