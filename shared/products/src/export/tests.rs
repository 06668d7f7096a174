use super::*;

fn file(path: &str, content: &str) -> File {
    File { path: path.to_owned(), media_type: "text/plain", content: content.to_owned() }
}

fn files() -> Vec<File> {
    vec![
        file("skills/tides/SKILL.md", "two"),
        file(".vscode/mcp.json", "{}"),
        file("AGENTS.md", &"one ".repeat(99)),
    ]
}

#[test]
fn archives_are_complete_and_deterministic() {
    let mut other_way_round = files();
    other_way_round.reverse();
    assert_eq!(zip(&files()).unwrap(), zip(&other_way_round).unwrap());
    assert_eq!(tar_gz(&files()).unwrap(), tar_gz(&other_way_round).unwrap());

    let mut archive = ::zip::ZipArchive::new(Cursor::new(zip(&files()).unwrap())).unwrap();
    let unzipped = (0..archive.len()).map(|at| {
        let mut entry = archive.by_index(at).unwrap();
        (entry.name().unwrap().to_string(), std::io::read_to_string(&mut entry).unwrap())
    });
    let unzipped: Vec<(String, String)> = unzipped.collect();
    let mut sorted = files();
    sorted.sort_by(|one, other| one.path.cmp(&other.path));
    let expected: Vec<(String, String)> = sorted.into_iter().map(|file| (file.path, file.content)).collect();
    assert_eq!(unzipped, expected);

    let packed = tar_gz(&files()).unwrap();
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(packed.as_slice()));
    let unpacked = archive.entries().unwrap().map(|entry| {
        let mut entry = entry.unwrap();
        assert_eq!(entry.header().mtime().unwrap(), 0);
        (entry.path().unwrap().display().to_string(), std::io::read_to_string(&mut entry).unwrap())
    });
    assert_eq!(unpacked.collect::<Vec<_>>(), expected);
}

#[test]
fn unsafe_paths_are_rejected() {
    for path in ["../x", "/etc/passwd", "a/../b", "a//b", "", "a\\b", "a/./b", "C:x", "a\nb"] {
        assert!(zip(&[file(path, "")]).is_err() && tar_gz(&[file(path, "")]).is_err(), "{path:?}");
    }
}

#[test]
fn every_file_of_a_skill_export_is_in_a_skill_folder() {
    let paths = |files: &[File]| skills(files).into_iter().map(|file| file.path).collect::<Vec<_>>();
    assert_eq!(
        paths(&files()),
        [
            "skills/tides/SKILL.md",
            "skills/tides/references/.vscode/mcp.json",
            "skills/tides/references/AGENTS.md"
        ]
    );
    let two = [
        file("watch.sh", "one"),
        file("skills/improve-tides/SKILL.md", "`bash watch.sh -x` and `watch.sh`"),
        file("skills/tides/SKILL.md", "`watch.sh`, a stranger's words"),
    ];
    let tree = skills(&two);
    assert_eq!(tree[0].content, "`bash references/watch.sh -x` and `references/watch.sh`");
    assert_eq!(tree[1..3], [file("skills/improve-tides/references/watch.sh", "one"), two[2].clone()]);
    assert_eq!(paths(&two)[3], "skills/tides/references/watch.sh");
}
