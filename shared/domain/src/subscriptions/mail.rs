//! Sends e-mail through the mail server of the operator. On AWS, this can be the SMTP interface of Amazon SES.

use std::time::{Duration, SystemTime};

use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::{AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor};

use super::tell::Failure;
use super::{message_id, texts};
use registry_app::App;
use registry_model::{Change, Subscription};

const TIMEOUT: Duration = Duration::from_secs(10);

/// Asks the address to confirm.
pub(super) async fn ask(app: &App, subscription: &Subscription, address: &str) -> Result<(), Failure> {
    let link = texts::manage_link(&app.settings, &subscription.token);
    let text = texts::confirmation(&app.settings, &subscription.topic, &link);
    send(app, subscription, address, text, "confirm").await
}

pub(super) async fn tell(
    app: &App,
    subscription: &Subscription,
    address: &str,
    changes: &[&Change],
) -> Result<(), Failure> {
    let link = texts::manage_link(&app.settings, &subscription.token);
    let text = texts::news(&app.settings, &subscription.topic, changes, &link);
    let cursor = changes.last().map_or(0, |change| change.cursor);
    send(app, subscription, address, text, &cursor.to_string()).await
}

/// A repetition of a message has the same `Message-ID`.
async fn send(
    app: &App,
    subscription: &Subscription,
    address: &str,
    (subject, body): (String, String),
    what: &str,
) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::Repeat(error.to_string());
    let (Some(from), Some(server)) = (&app.settings.mail_from, &app.settings.smtp_url) else {
        return Err(Failure::Repeat("MAIL_FROM or SMTP_URL is not set".to_owned()));
    };
    let host = from.rsplit_once('@').map_or("localhost", |(_, host)| host);
    let id = message_id(subscription, what);
    let one_click = texts::one_click_link(&app.settings, &subscription.token);
    let now = Duration::from_secs(u64::try_from(app.clock.now().as_second()).unwrap_or_default());
    let message = Message::builder()
        .from(from.parse().map_err(|error| failed(&error))?)
        .to(address.parse().map_err(|error| failed(&error))?)
        .subject(subject)
        .date(SystemTime::UNIX_EPOCH + now)
        .message_id(Some(format!("<{id}@{host}>")))
        .raw_header(header("List-Unsubscribe", format!("<{one_click}>")))
        .raw_header(header("List-Unsubscribe-Post", "List-Unsubscribe=One-Click".to_owned()))
        .raw_header(header("Auto-Submitted", "auto-generated".to_owned()))
        .header(ContentType::TEXT_PLAIN)
        .body(body)
        .map_err(|error| failed(&error))?;
    let server = AsyncSmtpTransport::<Tokio1Executor>::from_url(server.reveal());
    let server = server.map_err(|error| failed(&error))?.timeout(Some(TIMEOUT)).build();
    server.send(message).await.map_err(|error| Failure::Repeat(reason(&error)))?;
    Ok(())
}

/// The text of an answer often contains the address of the recipient, which belongs in no log.
fn reason(error: &lettre::transport::smtp::Error) -> String {
    match error.status() {
        Some(code) => format!("the mail server answered {code}"),
        None if error.is_timeout() => "the mail server did not answer in time".to_owned(),
        None => "the mail server could not be used".to_owned(),
    }
}

fn header(name: &'static str, value: String) -> HeaderValue {
    HeaderValue::new(HeaderName::new_from_ascii_str(name), value)
}
