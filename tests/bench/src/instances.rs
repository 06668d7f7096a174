//! A fixed number of instances of a packaged function. As on Lambda, each instance handles one event at a
//! time. If all instances are busy, an event waits.

use std::path::Path;
use std::sync::Arc;

use futures::FutureExt as _;
use local::functions::Job;
use serde_json::Value;
use tests::runtime_api::Function;
use tests::template::Template;
use tokio::sync::{Mutex, mpsc};

use crate::Failure;
use crate::watch::Process;

/// The instances of one function.
#[derive(Clone, Debug)]
pub(crate) struct Instances {
    name: &'static str,
    free: Arc<Mutex<mpsc::UnboundedReceiver<Arc<Function>>>>,
    back: mpsc::UnboundedSender<Arc<Function>>,
    processes: Vec<u32>,
}

/// An instance that processes an event. It is free again on drop.
struct Busy {
    instance: Arc<Function>,
    back: mpsc::UnboundedSender<Arc<Function>>,
}

impl Drop for Busy {
    fn drop(&mut self) {
        // The receiver is gone if the function has ended.
        let _ended = self.back.send(Arc::clone(&self.instance));
    }
}

impl Instances {
    /// Starts this many instances of a binary.
    ///
    /// # Errors
    /// An instance does not start.
    pub(crate) async fn start(
        name: &'static str,
        binary: &Path,
        environment: &[(&str, &str)],
        count: usize,
    ) -> Result<Self, Failure> {
        let (back, free) = mpsc::unbounded_channel();
        let mut processes = Vec::new();
        for _ in 0..count {
            let instance = Function::start(binary, environment).await?;
            processes.push(instance.process().ok_or_else(|| format!("{name} ended at once"))?);
            back.send(Arc::new(instance)).map_err(|_| "the instance queue is closed")?;
        }
        Ok(Self { name, free: Arc::new(Mutex::new(free)), back, processes })
    }

    /// The instances, to watch their memory.
    pub(crate) fn processes(&self, template: &Template) -> Vec<Process> {
        let memory = Some(template.memory(self.name));
        let named =
            |(n, id): (usize, &u32)| Process { name: format!("{} {}", self.name, n + 1), id: *id, memory };
        self.processes.iter().enumerate().map(named).collect()
    }

    /// The function as a job for the gateway and the schedules.
    pub(crate) fn job(&self) -> Job {
        let instances = self.clone();
        Arc::new(move |event| {
            let instances = instances.clone();
            async move { instances.invoke(event).await }.boxed()
        })
    }

    async fn invoke(&self, event: Value) -> Result<Value, String> {
        let taken = self.free.lock().await.recv().await;
        let instance = taken.ok_or_else(|| format!("{} has no instances", self.name))?;
        let busy = Busy { instance, back: self.back.clone() };
        busy.instance.invoke(event).await.map_err(|failure| format!("{}: {failure:?}", self.name))
    }
}
