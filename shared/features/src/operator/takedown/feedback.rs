//! Shows feedback to the operator and the proven owner of its listing, without addresses, phone numbers and secrets.

use crate::operator::takedown::Outcome;
use crate::prelude::*;
use registry_formats::personal_data::without_personal_data;
use registry_model::{Cursor, Feedback};
use registry_store::FeedbackPage;

/// The feedback of a listing, for its owner.
///
/// # Errors
/// The table is busy.
pub async fn feedback_of(app: &App, id: &ListingId) -> Result<Option<Feedback>, Problem> {
    Ok(app.store.feedback(id).await?.map(redacted))
}

pub(super) async fn feedback_page(
    app: &App,
    about: Option<&ListingId>,
    cursor: Option<&str>,
) -> Result<Outcome, Problem> {
    let after = Cursor::<String>::position(cursor, "next_cursor")?;
    let FeedbackPage { feedback, next } = match about {
        Some(id) => {
            FeedbackPage { feedback: app.store.feedback(id).await?.into_iter().collect(), next: None }
        }
        None => app.store.all_feedback(after.as_deref()).await?,
    };
    let mut note = format!("Feedback on this page: {}. Its texts are deleted after a year.", feedback.len());
    if next.is_some() {
        note.push_str(" For the next page, repeat the command with `next_cursor` as `cursor`.");
    }
    let feedback = feedback.into_iter().map(redacted).collect();
    let next_cursor = next.map(|key| Cursor(key).to_string());
    Ok(Outcome { feedback, next_cursor, ..Outcome::of_one(false, 0, note) })
}

fn redacted(feedback: Feedback) -> Feedback {
    let text = |text: String| without_personal_data(&text);
    let answers = feedback.answers.into_iter().map(|(id, answer)| (id, text(answer))).collect();
    Feedback { answers, body: feedback.body.map(text), ..feedback }
}
