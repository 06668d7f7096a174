//! Shows the progress of a mirror on standard error: as a bar on a terminal, otherwise as a line every ten
//! seconds. Standard output contains only the summary.

use std::io::IsTerminal as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::counts::Counts;

/// Without a terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(10);
/// If the number of documents is known.
const BAR: &str = "{elapsed_precise} [{bar:30}] {pos}/{len} {msg}";
/// If the number of documents is unknown.
const SPINNER: &str = "{elapsed_precise} {spinner} {pos} {msg}";

/// Clones share the output.
#[derive(Clone, Debug)]
pub struct Progress(Output);

#[derive(Clone, Debug)]
enum Output {
    Bar(ProgressBar),
    /// The time of the last line.
    Lines(Arc<Mutex<Instant>>),
    Hidden,
}

impl Progress {
    /// A bar if standard error is a terminal, otherwise lines.
    pub fn on_stderr() -> Self {
        if !std::io::stderr().is_terminal() {
            return Self(Output::Lines(Arc::new(Mutex::new(Instant::now()))));
        }
        let bar = ProgressBar::no_length().with_style(style(SPINNER));
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(Output::Bar(bar))
    }

    /// Shows nothing, for tests.
    pub const fn hidden() -> Self {
        Self(Output::Hidden)
    }

    pub(super) fn show(&self, counts: &Counts, total: Option<u64>) {
        match &self.0 {
            Output::Hidden => {}
            Output::Bar(bar) => {
                if let Some(total) = total.filter(|total| bar.length() != Some(*total)) {
                    bar.set_length(total);
                    bar.set_style(style(BAR));
                }
                bar.set_position(counts.documents());
                bar.set_message(counts.one_line());
            }
            Output::Lines(last) => {
                let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
                if last.elapsed() >= LINE_INTERVAL {
                    *last = Instant::now();
                    let of = total.map(|total| format!(" of {total}")).unwrap_or_default();
                    eprintln!("{}{of} documents: {}", counts.documents(), counts.one_line());
                }
            }
        }
    }

    pub(super) fn note(&self, text: &str) {
        match &self.0 {
            Output::Hidden => {}
            Output::Bar(bar) => bar.println(text),
            Output::Lines(_) => eprintln!("{text}"),
        }
    }

    /// Restores the terminal.
    pub fn end(&self) {
        if let Output::Bar(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_progress_templates_are_valid() {
        for template in [BAR, SPINNER] {
            assert!(ProgressStyle::with_template(template).is_ok(), "{template}");
        }
    }
}
