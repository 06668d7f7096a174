//! What is packaged for Lambda: the size of each binary, and the time from its start until it asks for its first
//! event, in turns with a minimal function that `make build` packages with the same profile.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use local::Template;
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;
use tokio::process::Command;

use crate::load::quantile;
use crate::report::{Report, amount};
use crate::{Failure, processes};

/// The function that all are held against.
const MINIMAL: &str = "minimal-lambda";
/// How often each is started.
const STARTS: usize = 21;
/// How many times the minimal function's start one may take.
const RATIO: f64 = 3.0;
/// After this a binary is given up on.
const PATIENCE: Duration = Duration::from_secs(10);

/// Measures every function of the template.
///
/// # Errors
/// A binary does not start, or the template cannot be read.
pub(crate) async fn measure(report: &mut Report) -> Result<(), Failure> {
    report.part("Lambda binaries: size, and start until the first poll");
    let template = Template::own()?;
    let of_routes = template.routes.into_iter().map(|route| route.function);
    let of_schedules = template.schedules.into_iter().map(|schedule| schedule.function);
    let functions: BTreeSet<String> = of_routes.chain(of_schedules).collect();
    let folder = processes::target_folder()?.join("lambda");
    let binary = |name: &str| Some(folder.join(name).join("bootstrap")).filter(|path| path.is_file());
    let limit = format!("<= {RATIO} times {MINIMAL}");
    let Some(minimal) = binary(MINIMAL) else {
        report.not_measured("every function", "not built: `make bench` builds it", &limit);
        return Ok(());
    };
    let mut built: Vec<(String, PathBuf)> = vec![(MINIMAL.to_owned(), minimal)];
    for name in functions {
        match binary(&name) {
            Some(path) => built.push((name, path)),
            None => report.not_measured(name, "not built: `make bench` builds it", &limit),
        }
    }
    let mut starts = vec![Vec::new(); built.len()];
    for turn in 0..=STARTS {
        for ((_, path), starts) in built.iter().zip(&mut starts) {
            let start = first_poll(path).await?;
            // The first one also reads the binary from the disk.
            if turn > 0 {
                starts.push(start.as_secs_f64() * 1000.0);
            }
        }
    }
    let least = starts.first().map_or(f64::NAN, |starts| quantile(starts, 0.5));
    for ((name, path), starts) in built.iter().zip(&starts) {
        let megabytes = std::fs::metadata(path)?.len() as f64 / 1e6;
        let half = quantile(starts, 0.5);
        let told = format!("{}, {}, {:.1}x", amount(megabytes, "MB"), amount(half, "ms"), half / least);
        if name == MINIMAL {
            report.told(name, told);
        } else {
            report.at_most(name, half / least, RATIO, told);
        }
    }
    Ok(())
}

/// The time from the start of a binary until it asks the runtime API for its first event.
async fn first_poll(binary: &Path) -> Result<Duration, Failure> {
    let runtime = TcpListener::bind("127.0.0.1:0").await?;
    let mut command = Command::new(binary);
    command
        .env_clear()
        .env("AWS_LAMBDA_RUNTIME_API", runtime.local_addr()?.to_string())
        .env("AWS_LAMBDA_FUNCTION_NAME", "function")
        .env("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST")
        .env("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "256")
        .env("AWS_LAMBDA_LOG_GROUP_NAME", "group")
        .env("AWS_LAMBDA_LOG_STREAM_NAME", "stream")
        .env("AWS_REGION", "eu-central-1")
        .env("AWS_ACCESS_KEY_ID", "local")
        .env("AWS_SECRET_ACCESS_KEY", "local")
        .env("TABLE_NAME", "table")
        .env("BUS_NAME", "bus")
        .env("BASE_URL", "https://registry.example.org")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    let began = Instant::now();
    let mut child = command.spawn()?;
    let polled = async {
        let (mut connection, _) = runtime.accept().await?;
        let mut head = [0; 64];
        let read = connection.read(&mut head).await?;
        let took = began.elapsed();
        if head[..read].starts_with(b"GET /2018-06-01/runtime/invocation/next ") {
            return Ok(took);
        }
        Err(Failure::from(format!("it asked for {}", String::from_utf8_lossy(&head[..read]))))
    };
    let took = tokio::time::timeout(PATIENCE, polled).await;
    child.kill().await?;
    took.map_err(|_| Failure::from("it never asked for an event"))?
        .map_err(|failure| format!("{}: {failure}", binary.display()).into())
}
