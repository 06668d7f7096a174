//! Chroma servers for tests of the search backend.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::process::{Child, Command};

use crate::test_registry::client;

/// Attempts to reach a new server, 100 ms apart.
const ATTEMPTS: u32 = 300;

#[derive(Debug)]
pub struct ChromaServer {
    python: PathBuf,
    folder: PathBuf,
    port: u16,
    process: Option<Child>,
}

impl ChromaServer {
    /// Starts a server with its data in `folder`. `SEARCH_BACKEND_PYTHON` is a Python with the package `chromadb`.
    pub async fn start(folder: &Path) -> Self {
        let python = std::env::var_os("SEARCH_BACKEND_PYTHON").unwrap_or_else(|| {
            panic!("SEARCH_BACKEND_PYTHON is not set; tests/proxies/search_backend/run sets it")
        });
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let mut server = Self { python: python.into(), folder: folder.to_owned(), port, process: None };
        server.start_again().await;
        server
    }

    /// Starts the server again at the same address.
    pub async fn start_again(&mut self) {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("proxies/search_backend/server.py");
        let mut command = Command::new(&self.python);
        command.arg(script).arg(&self.folder).arg(self.port.to_string());
        let process = command.stdin(Stdio::null()).stdout(Stdio::null()).kill_on_drop(true).spawn().unwrap();
        self.process = Some(process);
        let (client, url) = (client(), format!("{}/api/v2/heartbeat", self.url()));
        for _ in 0..ATTEMPTS {
            if client.get(&url).send().await.is_ok() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("the Chroma server does not answer");
    }

    /// Ends the server without a warning, as a crash does.
    pub async fn kill(&mut self) {
        self.process.take().unwrap().kill().await.unwrap();
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

/// Creates a database in the server at `url`; returns its URL.
pub async fn database(url: &str) -> String {
    static SERIAL: AtomicU32 = AtomicU32::new(0);
    let name = format!("test-{}-{}", std::process::id(), SERIAL.fetch_add(1, Ordering::SeqCst));
    let databases = format!("{url}/api/v2/tenants/default_tenant/databases");
    let created = client().post(&databases).json(&json!({ "name": name })).send().await.unwrap();
    assert!(created.status().is_success(), "{created:?}");
    format!("{databases}/{name}")
}

/// The number of records in the collection of the database at `url`.
pub async fn records(url: &str) -> u64 {
    let get = async |path: String| -> Value {
        client().get(format!("{url}{path}")).send().await.unwrap().json().await.unwrap()
    };
    let collections = get("/collections".to_owned()).await;
    let id = collections[0]["id"].as_str().unwrap_or_else(|| panic!("{collections}"));
    get(format!("/collections/{id}/count")).await.as_u64().unwrap()
}
