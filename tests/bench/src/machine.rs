//! Describes the machine, and reads the memory and processor time of a process from /proc on Linux. Do not
//! compare figures from different machines. You can compare ratios within one run.

use std::fs;
use std::time::Duration;

/// Ticks per second of the processor time in `/proc/<pid>/stat` (`getconf CLK_TCK`).
const TICKS: f64 = 100.0;

/// One line with cores, processor, memory and compiler.
pub(crate) fn line() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let model = field("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown processor".to_owned());
    let memory = field("/proc/meminfo", "MemTotal").and_then(|text| kib(&text)).unwrap_or(0.0);
    let compiler = std::process::Command::new("rustc").arg("--version").output();
    let compiler = compiler.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let compiler = compiler.unwrap_or_else(|_| "rustc unknown".to_owned());
    format!("{cores} cores of {model}, {:.0} GiB, {compiler}", memory / 1024.0 / 1024.0)
}

/// Memory of a process, in MB of 10^6 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    /// Current resident memory.
    pub(crate) now: f64,
    /// Peak resident memory.
    pub(crate) peak: f64,
}

/// The memory of a process; `None` if it has ended or this is not Linux.
pub(crate) fn memory(process: u32) -> Option<Memory> {
    let file = format!("/proc/{process}/status");
    let megabytes = |name| field(&file, name).and_then(|text| kib(&text)).map(|kib| kib * 1024.0 / 1e6);
    Some(Memory { now: megabytes("VmRSS")?, peak: megabytes("VmHWM")? })
}

/// The processor time of a process.
pub(crate) fn processor_time(process: u32) -> Option<Duration> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name in parentheses may contain any character; user and system time are the 12th and 13th field after it.
    let (_, after) = stat.rsplit_once(')')?;
    let mut fields = after.split_whitespace().skip(11);
    let user: f64 = fields.next()?.parse().ok()?;
    let system: f64 = fields.next()?.parse().ok()?;
    Some(Duration::from_secs_f64((user + system) / TICKS))
}

fn field(file: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn kib(text: &str) -> Option<f64> {
    text.strip_suffix(" kB")?.trim().parse().ok()
}
