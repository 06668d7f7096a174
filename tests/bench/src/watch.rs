//! Measures the memory of the registry under load every second. Caches fill in the first third of the time. So
//! the average of the last third is compared with the average of the second third.

use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::report::{Report, amount};
use crate::{Failure, machine};

const INTERVAL: Duration = Duration::from_secs(1);
/// Limit for the average memory of the last third, relative to the second.
const MAX_GROWTH: f64 = 1.05;
/// In a shorter run caches still fill, so that the growth is not checked.
const MIN_CHECKED_MINUTES: f64 = 5.0;

/// Memory samples of a process, in MB.
#[derive(Debug, Default)]
pub(crate) struct Watched {
    samples: Vec<f64>,
    ended: bool,
}

/// A running watch.
#[derive(Debug)]
pub(crate) struct Watch {
    stop: oneshot::Sender<()>,
    task: JoinHandle<Watched>,
}

impl Watch {
    /// Starts to watch a process.
    pub(crate) fn start(process: u32) -> Self {
        let (stop, mut stopped) = oneshot::channel();
        let task = tokio::spawn(async move {
            let mut watched = Watched::default();
            let mut interval = tokio::time::interval(INTERVAL);
            loop {
                tokio::select! {
                    _ = &mut stopped => return watched,
                    _ = interval.tick() => {}
                }
                match machine::memory(process) {
                    Some(memory) => watched.samples.push(memory.now),
                    None => watched.ended = true,
                }
            }
        });
        Self { stop, task }
    }

    /// Stops the watch and returns its samples.
    ///
    /// # Errors
    /// The watch has already ended.
    pub(crate) async fn end(self) -> Result<Watched, Failure> {
        self.stop.send(()).map_err(|()| "the watch has ended")?;
        Ok(self.task.await?)
    }
}

impl Watched {
    /// Adds a row with the memory of this process.
    pub(crate) fn report(&self, report: &mut Report, minutes: f64) {
        let [first, second, last] = self.thirds();
        let text = format!(
            "{}, {}, {} by third; {} at most",
            amount(first, "MB"),
            amount(second, "MB"),
            amount(last, "MB"),
            amount(self.samples.iter().copied().fold(0.0, f64::max), "MB")
        );
        let growth = last / second;
        let checked = minutes >= MIN_CHECKED_MINUTES;
        let holds = !self.ended && (!checked || growth <= MAX_GROWTH);
        let limit = if checked { format!("<= {MAX_GROWTH}x") } else { "alive".to_owned() };
        report.must("memory of the registry", holds, format!("{text}, {growth:.3}x"), limit);
    }

    fn thirds(&self) -> [f64; 3] {
        let third = self.samples.len().div_ceil(3).max(1);
        let mut parts = self.samples.chunks(third);
        [(); 3].map(|()| {
            let part = parts.next().unwrap_or_default();
            part.iter().sum::<f64>() / part.len() as f64
        })
    }
}
