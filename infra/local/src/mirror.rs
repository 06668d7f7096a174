//! `registry mirror`: publishes the entries of a file, a dump or another registry in a registry, over HTTP. The file of an
//! interrupted import contains its progress, so that the next run can continue.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use flate2::read::MultiGzDecoder;
use registry::federation::imports::{
    self, Candidate, Client, Import, ImportReport, Outcome, Sender, Source, Stopped,
};
use registry::fetch::{Fetcher, Follow, Request, Target};
use registry::model::characters::is_hidden;
use registry::model::{Clock, ImportState, Reach};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The first bytes of a gzip file (RFC 1952).
const GZIP: [u8; 2] = [0x1f, 0x8b];
const TIMEOUT: Duration = Duration::from_secs(60);
const MAX_ANSWER_BYTES: usize = 32 << 20;
const MAX_JSON_VALUES: usize = 1_000_000;
const MAX_TEXT_BYTES: u64 = 1 << 30;

#[derive(Clone, Debug)]
pub struct Job {
    /// A file, `-`, or the URL of a registry, a dump or a list.
    pub from: String,
    pub to: String,
    pub resume: Option<PathBuf>,
    /// The file for refusals; without it, they are printed.
    pub report: Option<PathBuf>,
    /// The verifier key of the evidence log that proves a dump. Without it, the key that the source names counts.
    pub log_key: Option<String>,
    /// The longest pause that a busy registry may ask for. A longer one ends the import.
    pub longest_pause: Duration,
    pub clock: Clock,
}

#[derive(Debug, Serialize, Deserialize)]
struct Progress {
    from: String,
    to: String,
    state: ImportState,
    report: ImportReport,
}

/// An import from a job.
#[derive(Debug)]
pub struct Mirror {
    job: Job,
    import: Import<Remote>,
}

impl Mirror {
    /// Opens the source and the files. Nothing is sent.
    ///
    /// # Errors
    /// What is wrong with the job.
    pub fn new(job: Job) -> Result<Self, String> {
        let client = Client {
            fetcher: Fetcher::new(
                Reach::Development,
                &format!("registry-mirror/{}", registry::VERSION),
                None,
            ),
            clock: job.clock.clone(),
            deadline: TIMEOUT,
            max_bytes: MAX_ANSWER_BYTES,
            max_values: MAX_JSON_VALUES,
            longest_pause: job.longest_pause,
        };
        let publish = format!("{}/api/publish", job.to.trim_end_matches('/'));
        let publish = Target::parse(&publish, client.reach());
        let publish = publish.map_err(|error| format!("{}: {error}", job.to))?;
        let progress = job.resume.as_ref().map_or(Ok(None), |path| earlier(path, &job))?;
        let refusals: Box<dyn Write + Send> = match &job.report {
            None => Box::new(io::stderr()),
            Some(path) => {
                let mut options = OpenOptions::new();
                let is_resumed = progress.is_some();
                options.create(true).write(true).append(is_resumed).truncate(!is_resumed);
                Box::new(options.open(path).map_err(|error| format!("{}: {error}", path.display()))?)
            }
        };
        let (state, report) = progress.map(|progress| (progress.state, progress.report)).unwrap_or_default();
        let source = source(&job)?;
        let sender = Remote { client: client.clone(), publish, refusals };
        Ok(Self { job, import: Import { source, client, sender, state, report } })
    }

    /// Publishes what is left. It can be repeated after an error.
    ///
    /// # Errors
    /// Why the import cannot go on.
    pub async fn run(&mut self) -> Result<(), String> {
        loop {
            let mut left = usize::MAX;
            let end = self.import.page(&mut left).await;
            if let Some(path) = &self.job.resume {
                let saved = if matches!(end, Ok(true)) { remove(path) } else { self.save(path) };
                saved.map_err(|error| format!("{}: {error}", path.display()))?;
            }
            match end {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(Stopped::Source(error)) => return Err(error.to_string()),
                Err(Stopped::Sender(error)) => return Err(error),
            }
        }
    }

    /// What was done, including earlier runs that this one continues.
    #[must_use]
    pub const fn report(&self) -> ImportReport {
        self.import.report
    }

    /// Replaces the file by renaming a new one, so that a crash leaves a whole file.
    fn save(&self, path: &Path) -> io::Result<()> {
        let (from, to) = (self.job.from.clone(), self.job.to.clone());
        let progress = Progress { from, to, state: self.import.state.clone(), report: self.import.report };
        let mut new = path.as_os_str().to_owned();
        new.push(".new");
        fs::write(&new, json!(progress).to_string())?;
        fs::rename(&new, path)
    }
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The progress of an earlier run of the same import, if the file exists.
fn earlier(path: &Path, job: &Job) -> Result<Option<Progress>, String> {
    let text = match fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("{}: {error}", path.display())),
    };
    let found: Option<Progress> = serde_json::from_slice(&text).ok();
    match found.filter(|found| found.from == job.from && found.to == job.to) {
        Some(found) => Ok(Some(found)),
        None => Err(format!("{} belongs to another import; use another file, or remove it", path.display())),
    }
}

fn source(job: &Job) -> Result<Source, String> {
    let from = &job.from;
    if from.starts_with("https://") || from.starts_with("http://") {
        let url = Target::parse(from, Reach::Development).map_err(|error| format!("{from}: {error}"))?;
        return Ok(Source::of_url(url.url().clone(), job.log_key.clone()));
    }
    let text = read_text(from).map_err(|error| format!("cannot read {from}: {error}"))?;
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
    // A list, pages of the registry API and JSON Lines are all JSON texts after each other.
    let documents = serde_json::Deserializer::from_slice(text).into_iter().collect::<Result<_, _>>();
    documents.map(Source::Documents).map_err(|error| {
        format!("{from}: {error}. Expected a JSON list, a page of a registry, or JSON Lines")
    })
}

/// The text of a file or of standard input, which may be compressed.
fn read_text(from: &str) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match from {
        "-" => io::stdin().read_to_end(&mut bytes)?,
        path => File::open(path)?.read_to_end(&mut bytes)?,
    };
    if !bytes.starts_with(&GZIP) {
        return Ok(bytes);
    }
    let mut text = Vec::new();
    if MultiGzDecoder::new(&bytes[..]).take(MAX_TEXT_BYTES).read_to_end(&mut text)? as u64 == MAX_TEXT_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(text)
}

/// The publish operation of another registry.
struct Remote {
    client: Client,
    publish: Target,
    refusals: Box<dyn Write + Send>,
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Remote").field(&self.publish).finish()
    }
}

impl Sender for Remote {
    type Error = String;

    async fn publish(&mut self, candidate: &Candidate) -> Result<Outcome, String> {
        let mut outcome = Outcome::Skipped;
        for body in &candidate.bodies {
            let request = || Request::post_json(self.publish.clone(), body).with_follow(Follow::Never);
            let answer =
                self.client.send(request).await.map_err(|error| format!("{}: {error}", self.publish))?;
            let reply: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
            match answer.status.as_u16() {
                200..=299 if reply["ok"] == true && reply["status"] == "duplicate" => {}
                200..=299 if reply["ok"] == true => outcome = Outcome::Published,
                // Errors that concern only this entry. A 429 may be the limit of its host.
                400 | 409 | 413 | 422 | 500 => return self.refused(candidate, &reply),
                403 if reply["code"].is_string() => return self.refused(candidate, &reply),
                429 if reply["allowance"] == "host" => return self.refused(candidate, &reply),
                429 => {
                    return Err(format!(
                        "the registry takes no more for now{}. Raise PUBLISH_PER_HOUR, or all limits with RATE_LIMITS=1000 (in \
                         development: RATE_LIMITS=off)",
                        imports::problem_detail(&answer)
                    ));
                }
                status => {
                    return Err(format!(
                        "{} answers {status}{}. Check that this is the base URL of a registry",
                        self.publish,
                        imports::problem_detail(&answer)
                    ));
                }
            }
        }
        Ok(outcome)
    }
}

impl Remote {
    fn refused(&mut self, candidate: &Candidate, reply: &Value) -> Result<Outcome, String> {
        let line = json!({ "name": candidate.name, "code": reply["code"], "field": reply["field"],
            "detail": reply["detail"], "violations": reply["violations"] });
        // Texts of documents must not control the terminal or a CI runner.
        let line = line.to_string().replace(is_hidden, " ").replace("##[", "#\\u0023[");
        writeln!(self.refusals, "{line}").map_err(|error| format!("cannot write the refusals: {error}"))?;
        Ok(Outcome::Refused)
    }
}
