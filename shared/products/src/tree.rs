//! The files of each product, and which of them a demo shows. A demo contains a few of the real files,
//! unchanged. It lists the other files with their sizes.

use super::page::{File, Page, items};
use super::profile::Profile;
use super::text::code;
use super::{ability, about, charter, evaluation, goals, improvement, mesh, repository, routine, skill};
use registry_model::Sku;
use registry_model::settings::Settings;

pub fn tree(sku: Sku, profile: &Profile, settings: &Settings) -> Vec<File> {
    let mut files = match sku {
        Sku::McpMesh => mesh::of(profile, settings),
        Sku::Kernel | Sku::Recursive | Sku::Alive => charter_tree(sku, profile, settings),
    };
    files.sort_by(|one, other| one.path.cmp(&other.path));
    files
}

pub fn sample(sku: Sku, profile: &Profile, settings: &Settings) -> Vec<File> {
    let slug = profile.slug();
    let shown: Vec<String> = match sku {
        Sku::Kernel => vec![charter::PATH.to_owned()],
        Sku::Recursive => vec![charter::PATH.to_owned(), "regression.md".to_owned()],
        Sku::Alive => {
            vec!["registry-watch.sh".to_owned(), format!("skills/{}/SKILL.md", routine::slug(profile))]
        }
        Sku::McpMesh => vec![
            "bridge.md".to_owned(),
            "descriptions.md".to_owned(),
            "install.md".to_owned(),
            "server.json".to_owned(),
            format!("skills/{slug}/SKILL.md"),
        ],
    };
    let (mut files, rest): (Vec<File>, Vec<File>) =
        tree(sku, profile, settings).into_iter().partition(|file| shown.contains(&file.path));
    files.push(others(sku, profile, &rest));
    files
}

fn others(sku: Sku, profile: &Profile, rest: &[File]) -> File {
    let name = about::name(profile);
    let mut page = Page::default();
    page.title(&format!("{} of {name}: {} more files", sku.title(), rest.len()));
    let lines = rest.iter().map(|file| {
        let lines = file.content.lines().count();
        let count = if lines == 1 { "1 line".to_owned() } else { format!("{lines} lines") };
        format!("{}: {count}, {} bytes", code(&file.path, 200), file.content.len())
    });
    page.block(items(lines.collect()));
    page.into_file("more.md")
}

fn charter_tree(sku: Sku, profile: &Profile, settings: &Settings) -> Vec<File> {
    let name = about::name(profile);
    let slug = profile.slug();
    let abilities = ability::all(profile);
    let goals = goals::of(profile, &abilities);
    let cases = evaluation::cases(profile, &abilities).len();
    let noun = ability::noun(profile);
    let left_out = match evaluation::not_called(profile, &abilities) {
        0 => String::new(),
        1 => format!(" No case calls the {noun} that needs a confirmation or has no schema."),
        count => format!(" No case calls the {count} {noun}s that need a confirmation or have no schema."),
    };
    let mut lines = vec![
        format!("`{}`: the system prompt, with the rules for confirmation.", charter::PATH),
        format!("`skills/{slug}/SKILL.md`: which {noun} of {name} to use for a request, and how to call it."),
        format!(
            "`promptfooconfig.yaml`, `evaluation.jsonl`, `provider.mjs`: {cases} cases for {name}, without a model as \
             judge.{left_out}"
        ),
    ];
    let mut files = vec![skill::of(profile, settings, &abilities, false)];
    files.extend(evaluation::of(profile, &abilities));
    if matches!(sku, Sku::Recursive | Sku::Alive) {
        let improve = improvement::slug(profile);
        let open = improvement::open(profile).len();
        lines.push(format!(
            "`skills/{improve}/SKILL.md`: how to improve {name} in small steps. \
            `regression.md` lists the open points in its proof ({open}) and in its descriptions. \
            `improvement-log.jsonl` begins with this proof; each round adds a line."
        ));
        files.extend(improvement::of(profile, settings, &abilities, cases));
    }
    if sku == Sku::Alive {
        lines.push(format!(
            "`registry-watch.sh` and its workflow check each day whether {name} is Live. `skills/{}/SKILL.md` says what to \
             do if it is not.",
            routine::slug(profile)
        ));
        files.extend(routine::of(profile, settings));
    }
    files.push(charter::of(profile, &abilities, &goals));
    files.push(repository::of(profile, settings, &abilities, lines));
    files
}
