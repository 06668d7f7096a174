//! What runs by itself: probes, jobs, and the events between them.

mod events;
mod jobs;
mod probes;
