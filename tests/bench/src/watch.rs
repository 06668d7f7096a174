//! Measures the memory of processes under load every second. Caches fill in the first third of the time. So
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

/// A process to watch.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    pub(crate) name: String,
    pub(crate) id: u32,
    /// The memory of a Lambda function in the template, in MB. Lambda stops a function that uses more.
    pub(crate) memory: Option<f64>,
}

/// Memory samples of a process, in MB.
#[derive(Clone, Debug)]
pub(crate) struct Watched {
    name: String,
    memory: Option<f64>,
    samples: Vec<f64>,
    ended: bool,
}

/// A running watch.
#[derive(Debug)]
pub(crate) struct Watch {
    stop: oneshot::Sender<()>,
    task: JoinHandle<Vec<Watched>>,
}

impl Watch {
    /// Starts to watch these processes.
    pub(crate) fn start(processes: Vec<Process>) -> Self {
        let (stop, mut stopped) = oneshot::channel();
        let task = tokio::spawn(async move {
            let mut watched: Vec<Watched> = processes.iter().map(Watched::new).collect();
            let mut interval = tokio::time::interval(INTERVAL);
            loop {
                tokio::select! {
                    _ = &mut stopped => return watched,
                    _ = interval.tick() => {}
                }
                for (process, watched) in processes.iter().zip(&mut watched) {
                    match machine::memory(process.id) {
                        Some(memory) => watched.samples.push(memory.now),
                        None => watched.ended = true,
                    }
                }
            }
        });
        Self { stop, task }
    }

    /// Stops the watch and returns its samples.
    ///
    /// # Errors
    /// The watch has already ended.
    pub(crate) async fn end(self) -> Result<Vec<Watched>, Failure> {
        self.stop.send(()).map_err(|()| "the watch has ended")?;
        Ok(self.task.await?)
    }
}

impl Watched {
    fn new(process: &Process) -> Self {
        let Process { name, memory, .. } = process.clone();
        Self { name, memory, samples: Vec::new(), ended: false }
    }

    /// Adds a row with the memory of this process.
    pub(crate) fn report(&self, report: &mut Report, minutes: f64) {
        let [first, second, last] = self.thirds();
        let text = format!(
            "{}, {}, {} by third; {} at most",
            amount(first, "MB"),
            amount(second, "MB"),
            amount(last, "MB"),
            amount(self.peak(), "MB")
        );
        let growth = last / second;
        let checked = minutes >= MIN_CHECKED_MINUTES;
        let fits = self.memory.is_none_or(|memory| self.peak() <= memory);
        let holds = !self.ended && fits && (!checked || growth <= MAX_GROWTH);
        let mut limit = if checked { format!("<= {MAX_GROWTH}x") } else { "alive".to_owned() };
        if let Some(memory) = self.memory {
            limit = format!("{limit}, <= {memory} MB");
        }
        let name = format!("memory of {}", self.name);
        report.must(name, holds, format!("{text}, {growth:.3}x"), limit);
    }

    /// The highest sample.
    pub(crate) fn peak(&self) -> f64 {
        self.samples.iter().copied().fold(0.0, f64::max)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn process(id: u32) -> Process {
        Process { name: "one".to_owned(), id, memory: None }
    }

    #[test]
    fn average_is_calculated_for_each_third_of_the_samples() {
        let watched = |samples: &[f64]| Watched { samples: samples.to_vec(), ..Watched::new(&process(1)) };
        let six = watched(&[1.0, 3.0, 10.0, 12.0, 30.0, 32.0]);
        assert_eq!((six.thirds(), six.peak()), ([2.0, 11.0, 31.0], 32.0));
        assert_eq!(watched(&[1.0, 1.0, 2.0, 2.0, 3.0]).thirds(), [1.0, 2.0, 3.0]);
    }

    #[tokio::test]
    async fn missing_process_counts_as_ended() {
        let watch = Watch::start(vec![process(std::process::id()), process(u32::MAX)]);
        tokio::time::sleep(Duration::from_millis(50)).await;
        let watched = watch.end().await.unwrap();
        let [this, missing] = &watched[..] else { panic!("expected two processes") };
        assert!(this.peak() > 0.0 && !this.ended && missing.ended);
    }
}
