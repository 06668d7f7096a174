//! The economy from outside: what is measured is what the operations tell, by every protocol.

mod budget;
mod costs;
mod numbers;
mod samples;
