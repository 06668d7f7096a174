use super::*;
use registry_model::Skill;

fn facts() -> Facts {
    let tool = |name: &str, description: &str| Tool {
        name: name.to_owned(),
        description: description.to_owned(),
        ..Tool::default()
    };
    let skill = Skill { id: "fc".to_owned(), name: "Weather forecast".to_owned(), ..Skill::default() };
    Facts {
        tools: vec![
            tool("list_files", "Lists."),
            tool("add", "Adds two numbers."),
            tool("sub", "Subtracts two numbers."),
            tool("explain_query", "Explains the execution plan of a SQL query, with the estimated costs."),
            tool("execute_sql", "Execute any SQL query."),
        ],
        skills: vec![skill],
        ..Facts::default()
    }
}

#[test]
fn tool_is_chosen_first_by_name_then_by_words_then_by_order() {
    let facts = facts();
    let chosen = |wish| tool(wish, Some(&facts)).map(|tool| tool.name.as_str());
    assert_eq!(
        chosen(CapabilityRequest { tool: Some("List-Files"), ..CapabilityRequest::default() }),
        Some("list_files")
    );
    let by_words = |words| chosen(CapabilityRequest { words, ..CapabilityRequest::default() });
    assert_eq!(by_words("add numbers"), Some("add"));
    assert_eq!(by_words("query Postgres"), Some("execute_sql"));
    assert_eq!(by_words("explain the plan of a query"), Some("explain_query"));
    assert_eq!(chosen(CapabilityRequest::default()), Some("list_files"));
    assert_eq!(tool(CapabilityRequest::default(), Some(&Facts::default())), None);
}

#[test]
fn message_contains_the_requested_skill_and_words() {
    let facts = facts();
    let text = |words, skill| message_text(CapabilityRequest { words, skill, tool: None }, Some(&facts));
    assert_eq!(text("in Paris", Some("weather_forecast")), "Weather forecast: in Paris");
    assert_eq!(text("", Some("fc")), "What do you need to know for this: Weather forecast?");
    assert_eq!(text("", None), "What can you do?");
    assert_eq!(text("in Paris", Some("unknown")), "in Paris");
}
