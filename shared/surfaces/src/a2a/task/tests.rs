use super::*;
use registry_model::{AccessToken, Random};

fn message(parts: Vec<Part>) -> Message {
    Message::of_agent("m".to_owned(), "c", "t", parts)
}

fn task(contents: TaskContents) -> Task {
    Task {
        id: "t".to_owned(),
        origin: Origin::Ours,
        caller: "192.0.2.1".to_owned(),
        context_id: "c".to_owned(),
        state: TaskState::InputRequired,
        at: "2026-11-20T12:00:00Z".parse().unwrap(),
        contents,
    }
}

fn artifact(parts: Vec<Part>) -> Artifact {
    Artifact { id: "a".to_owned(), name: "n".to_owned(), parts, next_step: String::new() }
}

#[test]
fn stored_task_contains_no_token() {
    let token = AccessToken::new(&Random::seeded(1));
    let parts = || vec![Part::data(json!({ "token": token.reveal() })), Part::text(token.reveal())];
    let contents = TaskContents {
        message: Some(message(parts())),
        artifacts: vec![artifact(parts())],
        history: vec![message(parts())],
    };
    let stored = task(contents).to_stored().unwrap();
    assert!(!stored.content.contains(token.reveal()), "{}", stored.content);
    assert!(Task::from_stored(stored).is_ok());
}

#[test]
fn stored_answer_names_no_next_step_without_its_secret() {
    let token = AccessToken::new(&Random::seeded(2));
    let secret = format!("Next: Keep it. Send: {}", token.reveal());
    for (next_step, stored_text) in [(secret, "Done. "), ("Next: Wait.".to_owned(), "Done. Next: Wait.")] {
        let parts = vec![Part::text(format!("Done. {next_step}"))];
        let artifacts = vec![Artifact { next_step, ..artifact(parts) }];
        let stored = task(TaskContents { artifacts, ..TaskContents::default() }).to_stored().unwrap();
        let parts = Task::from_stored(stored).unwrap().contents.artifacts.remove(0).parts;
        assert_eq!(parts, vec![Part::text(stored_text)]);
    }
}

#[test]
fn content_that_is_too_large_is_replaced_by_a_note() {
    let large = json!({ "x": "y".repeat(MAX_CONTENT_BYTES) });
    let artifact = artifact(vec![Part::data(large.clone())]);
    let history = vec![message(vec![Part::text("short"), Part::data(large.clone())]); 3];
    let message = Some(message(vec![Part::data(large)]));
    let stored = task(TaskContents { message, artifacts: vec![artifact], history }).to_stored().unwrap();
    let content = stored.content;
    assert!(content.len() < MAX_CONTENT_BYTES);
    assert!(content.contains("too large to store") && content.contains("short"));
}
