//! The memory of processes while they are under load, looked at every second. Caches fill at first, so what is held in
//! the last third of the time is compared with the second third.

use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::report::{Report, amount};
use crate::{Failure, machine};

const LOOK: Duration = Duration::from_secs(1);
/// How many times the memory of the second third the last third may hold, on average.
const GROWTH: f64 = 1.05;
/// In less time it still grows into its caches: then it is told only.
const JUDGED_MINUTES: f64 = 5.0;

/// What a process held, in MB.
#[derive(Clone, Debug)]
pub(crate) struct Watched {
    name: String,
    held: Vec<f64>,
    gone: bool,
}

/// A watch that goes on.
#[derive(Debug)]
pub(crate) struct Watch {
    stop: oneshot::Sender<()>,
    looking: JoinHandle<Vec<Watched>>,
}

impl Watch {
    /// Looks at these processes from now on.
    pub(crate) fn start(processes: Vec<(String, u32)>) -> Self {
        let (stop, mut stopped) = oneshot::channel();
        let looking = tokio::spawn(async move {
            let watched =
                |(name, _): &(String, u32)| Watched { name: name.clone(), held: Vec::new(), gone: false };
            let mut watched: Vec<Watched> = processes.iter().map(watched).collect();
            let mut interval = tokio::time::interval(LOOK);
            loop {
                tokio::select! {
                    _ = &mut stopped => return watched,
                    _ = interval.tick() => {}
                }
                for ((_, process), watched) in processes.iter().zip(&mut watched) {
                    match machine::memory(*process) {
                        Some(memory) => watched.held.push(memory.now),
                        None => watched.gone = true,
                    }
                }
            }
        });
        Self { stop, looking }
    }

    /// What was seen.
    ///
    /// # Errors
    /// The watch has ended before.
    pub(crate) async fn end(self) -> Result<Vec<Watched>, Failure> {
        self.stop.send(()).map_err(|()| "the watch has ended")?;
        Ok(self.looking.await?)
    }
}

impl Watched {
    /// A row of what it held.
    pub(crate) fn tell(&self, report: &mut Report, minutes: f64) {
        let [first, second, last] = self.thirds();
        let told = format!(
            "{}, {}, {} in the thirds; {} at most",
            amount(first, "MB"),
            amount(second, "MB"),
            amount(last, "MB"),
            amount(self.most(), "MB")
        );
        let growth = last / second;
        let judged = minutes >= JUDGED_MINUTES;
        let holds = !self.gone && (!judged || growth <= GROWTH);
        let limit = if judged { format!("<= {GROWTH}") } else { "alive".to_owned() };
        let name = format!("memory of {}", self.name);
        report.must(name, holds, format!("{told}, {growth:.3}x"), limit);
    }

    /// The most that it held.
    pub(crate) fn most(&self) -> f64 {
        self.held.iter().copied().fold(0.0, f64::max)
    }

    fn thirds(&self) -> [f64; 3] {
        let third = self.held.len().div_ceil(3).max(1);
        let mut parts = self.held.chunks(third);
        [(); 3].map(|()| {
            let part = parts.next().unwrap_or_default();
            part.iter().sum::<f64>() / part.len() as f64
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thirds_are_averages_in_turn() {
        let watched = |held: &[f64]| Watched { name: "one".to_owned(), held: held.to_vec(), gone: false };
        let seen = watched(&[1.0, 3.0, 10.0, 12.0, 30.0, 32.0]);
        assert_eq!((seen.thirds(), seen.most()), ([2.0, 11.0, 31.0], 32.0));
        assert_eq!(watched(&[1.0, 1.0, 2.0, 2.0, 3.0]).thirds(), [1.0, 2.0, 3.0]);
    }

    #[tokio::test]
    async fn a_process_that_is_gone_is_no_flat_one() {
        let watch =
            Watch::start(vec![("this".to_owned(), std::process::id()), ("nobody".to_owned(), u32::MAX)]);
        tokio::time::sleep(Duration::from_millis(50)).await;
        let watched = watch.end().await.unwrap();
        let [this, nobody] = &watched[..] else { panic!("two were watched") };
        assert!(this.most() > 0.0 && !this.gone && nobody.gone);
    }
}
