use super::*;
use crate::Skill;

fn of_tool(tool: &str, kind: ToolChangeKind, severity: Severity) -> ToolChange {
    ToolChange { tool: tool.to_owned(), kind, severity, argument: None, before: None, after: None }
}

#[test]
fn each_changed_tool_is_in_one_group() {
    let changes = [
        of_tool("pow", ToolChangeKind::Injection, Severity::Danger),
        of_tool("sub", ToolChangeKind::ToolRemoved, Severity::Breaking),
        of_tool("add", ToolChangeKind::ArgumentRequired, Severity::Breaking),
        of_tool("add", ToolChangeKind::DescriptionWider, Severity::Review),
        of_tool("pow", ToolChangeKind::ToolAdded, Severity::Info),
        of_tool("div", ToolChangeKind::DestructiveToolAdded, Severity::Danger),
    ];
    let later = Moment::from_second(60).unwrap();
    let change = AbilityChange::of_tools(&changes, Moment::UNIX_EPOCH, later);
    assert_eq!(change.added.names, ["div", "pow"]);
    assert_eq!(change.removed.names, ["sub"]);
    assert_eq!(change.redescribed.names, ["add"]);
    assert_eq!((change.severity, change.details.len()), (Some(Severity::Danger), 6));
    assert_eq!(change.at.duration_since(change.since).as_secs(), 60);
}

#[test]
fn skills_are_compared_by_id_and_listed_by_name() {
    let skill = |id: &str, name: &str, tag: &str| Skill {
        id: id.to_owned(),
        name: name.to_owned(),
        tags: vec![tag.to_owned()],
        ..Skill::default()
    };
    let facts = |skills: Vec<Skill>| Facts { skills, ..Facts::default() };
    let before = facts(vec![skill("a", "Old name", "x"), skill("b", "Tagged", "x"), skill("c", "Gone", "x")]);
    let now = facts(vec![skill("a", "New name", "x"), skill("b", "Tagged", "y"), skill("d", "Come", "x")]);
    let later = Moment::from_second(60).unwrap();
    let change = AbilityChange::of_skills((&before, Moment::UNIX_EPOCH), (&now, later));
    assert_eq!(change.redescribed.names, ["New name", "Tagged"]);
    assert_eq!(change.added.names, ["Come"]);
    assert_eq!(change.removed.names, ["Gone"]);
}

#[test]
fn number_of_names_in_a_change_is_bounded() {
    let added = |n| of_tool(&format!("t{n:02}"), ToolChangeKind::ToolAdded, Severity::Info);
    let changes: Vec<ToolChange> = (0..90).map(added).collect();
    let change = AbilityChange::of_tools(&changes, Moment::UNIX_EPOCH, Moment::UNIX_EPOCH);
    assert_eq!((change.added.count, change.added.names.len(), change.added.unnamed()), (90, MAX_NAMES, 70));
    assert_eq!((change.added.names[19].as_str(), change.details.len()), ("t19", MAX_DETAILS));
}
