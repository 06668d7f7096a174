//! A mail server on loopback that accepts every message and records it.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A message as its server received it.
#[derive(Clone, Debug, Default)]
pub struct ReceivedMail {
    /// The address of the recipient, from the envelope.
    pub to: String,
    /// Headers and text without the encoding `quoted-printable`, with one line break between lines.
    pub text: String,
}

impl ReceivedMail {
    /// The first text between `before` and the next blank.
    #[must_use]
    pub fn word_after(&self, before: &str) -> &str {
        let at = self.text.find(before).unwrap_or_else(|| panic!("no {before} in {}", self.text));
        self.text[at + before.len()..].split_whitespace().next().unwrap_or_default()
    }
}

/// A mail server until it is dropped.
#[derive(Debug)]
pub struct MailServer {
    /// `smtp://127.0.0.1:port`.
    pub url: String,
    received: Arc<Mutex<Vec<ReceivedMail>>>,
    task: JoinHandle<()>,
}

impl Drop for MailServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl MailServer {
    /// A mail server on a free port.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("smtp://{}", listener.local_addr().unwrap());
        let received: Arc<Mutex<Vec<ReceivedMail>>> = Arc::default();
        let shared = Arc::clone(&received);
        let task = tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                tokio::spawn(serve(connection, Arc::clone(&shared)));
            }
        });
        Self { url, received, task }
    }

    /// The messages since the last call.
    #[must_use]
    pub fn take(&self) -> Vec<ReceivedMail> {
        std::mem::take(&mut self.received.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

async fn serve(connection: TcpStream, received: Arc<Mutex<Vec<ReceivedMail>>>) -> Option<()> {
    let (reading, mut writing) = connection.into_split();
    let mut lines = BufReader::new(reading).lines();
    let mut mail = ReceivedMail::default();
    writing.write_all(b"220 mail.test\r\n").await.ok()?;
    while let Some(line) = lines.next_line().await.ok()? {
        let verb = line.get(..4).unwrap_or_default().to_ascii_uppercase();
        let answer = match verb.as_str() {
            "DATA" => {
                writing.write_all(b"354 go on\r\n").await.ok()?;
                while let Some(line) = lines.next_line().await.ok()?.filter(|line| line != ".") {
                    mail.text.push_str(line.strip_prefix('.').unwrap_or(&line));
                    mail.text.push('\n');
                }
                mail.text = mail.text.replace("=\n", "").replace("=3D", "=");
                received.lock().unwrap_or_else(PoisonError::into_inner).push(std::mem::take(&mut mail));
                "250 accepted"
            }
            "RCPT" => {
                let address = line.split_once('<').and_then(|(_, rest)| rest.split_once('>'));
                mail.to = address.map(|(address, _)| address.to_owned()).unwrap_or_default();
                "250 ok"
            }
            "QUIT" => "221 bye",
            _ => "250 ok",
        };
        writing.write_all(format!("{answer}\r\n").as_bytes()).await.ok()?;
    }
    Some(())
}
