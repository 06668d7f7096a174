//! Starts the binary with the address of a collector for traces.

use std::process::{Command, Stdio};

const BINARY: &str = env!("CARGO_BIN_EXE_registry");

fn registry(collector: &str) -> Command {
    let mut command = Command::new(BINARY);
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", collector).args(["--port", "0", "--data", ":memory:"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[cfg(not(feature = "otlp"))]
#[test]
fn binary_without_the_feature_refuses_to_start() {
    let output = registry("http://127.0.0.1:1").output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("OTEL_EXPORTER_OTLP_ENDPOINT") && error.contains("--features otlp"), "{error}");
}

#[cfg(feature = "otlp")]
mod with_the_feature {
    use std::io::{BufRead as _, BufReader, Read as _, Write as _};
    use std::net::{TcpListener, TcpStream};
    use std::time::{Duration, Instant};

    use super::*;

    /// One HTTP request with a `content-length`: its first line and its body.
    fn received(stream: &TcpStream) -> Option<(String, String)> {
        let mut reader = BufReader::new(stream);
        let (mut first, mut length) = (String::new(), 0);
        reader.read_line(&mut first).ok().filter(|read| *read > 0)?;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            if line.trim().is_empty() {
                break;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().ok()?;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        Some((first, String::from_utf8(body).ok()?))
    }

    #[test]
    fn collector_gets_a_span_with_the_id_of_the_request() {
        let collector = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}", collector.local_addr().unwrap());
        let mut server = registry(&endpoint).env("LIST_ITSELF", "off").spawn().unwrap();
        let mut output = BufReader::new(server.stdout.take().unwrap()).lines().map_while(Result::ok);
        let url = output.find_map(|line| Some(line.split_once("http://")?.1.to_owned())).unwrap();
        let address: String = url.chars().take_while(|c| c.is_ascii_digit() || ".:".contains(*c)).collect();

        let mut request = TcpStream::connect(&address).unwrap();
        write!(request, "GET /no/such/path HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        request.read_to_string(&mut answer).unwrap();
        let id = answer.lines().find_map(|line| line.strip_prefix("x-request-id: ")).unwrap().to_owned();

        // The spans are sent after some seconds; those of jobs may come first.
        let mut seen = Vec::new();
        collector.set_nonblocking(true).unwrap();
        let began = Instant::now();
        while !seen.iter().any(|body: &String| body.contains(&id)) {
            assert!(began.elapsed() < Duration::from_secs(60), "{seen:?}");
            let Ok((stream, _)) = collector.accept() else {
                std::thread::sleep(Duration::from_millis(20));
                continue;
            };
            stream.set_nonblocking(false).unwrap();
            while let Some((first, body)) = received(&stream) {
                assert!(first.starts_with("POST /v1/traces "), "{first}");
                (&stream)
                    .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}")
                    .unwrap();
                seen.push(body);
            }
        }
        server.kill().unwrap();
        server.wait().unwrap();
        let spans = seen.iter().find(|body| body.contains(&id)).unwrap();
        assert!(spans.contains("\"resourceSpans\"") && spans.contains("\"name\": \"request\""), "{spans}");
    }
}
