//! A minimal HTTP/1.1 client that uses one connection for all requests. It does little work, so that a benchmark
//! measures the time of the server and not of the client. It reads only the kinds of bodies that this registry sends.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::Failure;

/// An open connection.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// A reply. Its bytes are in the connection's buffer until the next request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer<'a> {
    /// The status code.
    pub(crate) status: u16,
    /// Status line and headers.
    pub(crate) head: &'a str,
    /// The body, with its framing if it is chunked.
    pub(crate) body: &'a [u8],
}

impl Answer<'_> {
    /// A header's value.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        header(self.head, name)
    }
}

/// A GET with further header lines, each ended by CR LF.
pub(crate) fn get(path: &str, headers: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n{headers}\r\n").into_bytes()
}

/// A POST of JSON.
pub(crate) fn post(path: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

impl Connection {
    /// Opens a connection.
    ///
    /// # Errors
    /// The address refuses connections.
    pub(crate) async fn open(address: SocketAddr) -> Result<Self, Failure> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::with_capacity(1 << 20) })
    }

    /// Sends the bytes of a request and reads the complete reply.
    ///
    /// # Errors
    /// The connection ends, or the reply has no known framing.
    pub(crate) async fn request(&mut self, request: &[u8]) -> Result<Answer<'_>, Failure> {
        self.stream.write_all(request).await?;
        self.buffer.clear();
        let body_at = loop {
            self.read_more().await?;
            if let Some(end) = self.buffer.windows(4).take(8192).position(|window| window == b"\r\n\r\n") {
                break end + 4;
            }
        };
        let head = std::str::from_utf8(&self.buffer[..body_at])?;
        let status: u16 = head.get(9..12).and_then(|code| code.parse().ok()).ok_or("no status line")?;
        let length: usize = match header(head, "content-length") {
            Some(length) => length.parse()?,
            None if header(head, "transfer-encoding").is_some() => {
                return self.in_chunks(body_at, status).await;
            }
            None if status == 304 || status == 204 => 0,
            None => return Err(format!("a reply without a length: {head}").into()),
        };
        while self.buffer.len() < body_at + length {
            self.read_more().await?;
        }
        Ok(self.answer(status, body_at))
    }

    /// Reads a chunked body up to its last, empty chunk. The framing stays in the body.
    async fn in_chunks(&mut self, body_at: usize, status: u16) -> Result<Answer<'_>, Failure> {
        while !self.buffer.ends_with(b"\r\n0\r\n\r\n") && &self.buffer[body_at..] != b"0\r\n\r\n" {
            self.read_more().await?;
        }
        Ok(self.answer(status, body_at))
    }

    fn answer(&self, status: u16, body_at: usize) -> Answer<'_> {
        let (head, body) = self.buffer.split_at(body_at);
        Answer { status, head: std::str::from_utf8(head).unwrap_or_default(), body }
    }

    async fn read_more(&mut self) -> Result<(), Failure> {
        if self.stream.read_buf(&mut self.buffer).await? == 0 {
            return Err("the server closed the connection".into());
        }
        Ok(())
    }
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().find_map(|line| {
        let (found, value) = line.split_once(':')?;
        found.eq_ignore_ascii_case(name).then(|| value.trim())
    })
}
