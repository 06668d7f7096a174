//! A name server on loopback. It serves UDP and TCP on one port, and a script gives the answer for each name.
//! It can also send answers that only a hostile server would send.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use hickory_proto::op::{Message, MessageType, ResponseCode};
use hickory_proto::rr::rdata::{CNAME, TXT};
use hickory_proto::rr::{Name, RData, Record};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, UdpSocket};
use tokio::task::JoinHandle;

use super::locked;

/// The answer for a name.
#[derive(Clone, Debug)]
pub enum DnsAnswer {
    /// TXT records of the name. Over UDP, an answer that is too long for the client is truncated and marked so.
    Txt(Vec<String>),
    /// An alias of another name, with the TXT records of that name.
    Alias(&'static str, Vec<String>),
    /// TXT records of another name, which the query does not contain.
    Foreign(&'static str, Vec<String>),
    /// NXDOMAIN.
    NoName,
    /// SERVFAIL.
    Failure,
    /// The id of the query, followed by these bytes.
    Garbage(&'static [u8]),
    /// No answer.
    Silence,
}

/// A name server that runs until it is dropped.
#[derive(Debug)]
pub struct NameServer {
    /// Its address for UDP and TCP.
    pub address: SocketAddr,
    queries: Arc<Mutex<Vec<String>>>,
    tasks: [JoinHandle<()>; 2],
}

impl Drop for NameServer {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

impl NameServer {
    /// Starts a name server on a free port. The script gets a name (`mcp.example.com.`).
    pub async fn start(script: impl Fn(&str) -> DnsAnswer + Send + Sync + 'static) -> Self {
        let (tcp, udp) = sockets().await;
        let address = tcp.local_addr().unwrap();
        let queries = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&queries);
        let answer = Arc::new(move |question: &[u8], transport: &str| {
            let question = Message::from_vec(question).unwrap();
            let query = &question.queries[0];
            log.lock().unwrap().push(format!("{transport} {} {}", query.query_type(), query.name()));
            answer(&question, &script(&query.name().to_string()))
        });
        let by_udp = tokio::spawn(serve_udp(udp, Arc::clone(&answer)));
        let by_tcp = tokio::spawn(serve_tcp(tcp, answer));
        Self { address, queries, tasks: [by_udp, by_tcp] }
    }

    /// All queries, as `UDP TXT mcp.example.com.`
    pub fn asked(&self) -> Vec<String> {
        locked(&self.queries).clone()
    }
}

/// Finds a port that is free for both TCP and UDP.
async fn sockets() -> (TcpListener, UdpSocket) {
    loop {
        let tcp = TcpListener::bind("127.0.0.1:0").await.unwrap();
        if let Ok(udp) = UdpSocket::bind(tcp.local_addr().unwrap()).await {
            return (tcp, udp);
        }
    }
}

async fn serve_udp(socket: UdpSocket, answer: Arc<impl Fn(&[u8], &str) -> Option<Answer>>) {
    let mut question = [0; 4096];
    while let Ok((length, client)) = socket.recv_from(&mut question).await {
        if let Some(answer) = answer(&question[..length], "UDP") {
            let fits = answer.whole.len() <= answer.max_udp_length;
            let _ = socket.send_to(if fits { &answer.whole } else { &answer.truncated }, client).await;
        }
    }
}

async fn serve_tcp(listener: TcpListener, answer: Arc<impl Fn(&[u8], &str) -> Option<Answer>>) {
    while let Ok((mut connection, _)) = listener.accept().await {
        while let Ok(length) = connection.read_u16().await {
            let mut question = vec![0; usize::from(length)];
            connection.read_exact(&mut question).await.unwrap();
            if let Some(Answer { whole, .. }) = answer(&question, "TCP") {
                connection.write_u16(u16::try_from(whole.len()).unwrap()).await.unwrap();
                connection.write_all(&whole).await.unwrap();
            }
        }
    }
}

struct Answer {
    whole: Vec<u8>,
    truncated: Vec<u8>,
    max_udp_length: usize,
}

fn answer(question: &Message, scripted: &DnsAnswer) -> Option<Answer> {
    let name = question.queries[0].name().clone();
    let mut reply = question.clone();
    reply.metadata.message_type = MessageType::Response;
    reply.metadata.recursion_available = true;
    match scripted {
        DnsAnswer::Silence => return None,
        DnsAnswer::Garbage(bytes) => {
            let whole = [&question.metadata.id.to_be_bytes()[..], bytes].concat();
            return Some(Answer { truncated: whole.clone(), whole, max_udp_length: usize::MAX });
        }
        DnsAnswer::NoName => reply.metadata.response_code = ResponseCode::NXDomain,
        DnsAnswer::Failure => reply.metadata.response_code = ResponseCode::ServFail,
        DnsAnswer::Txt(texts) => _ = reply.add_answers(txt(&name, texts)),
        DnsAnswer::Foreign(other, texts) => _ = reply.add_answers(txt(&parsed_name(other), texts)),
        DnsAnswer::Alias(target, texts) => {
            let target = parsed_name(target);
            let alias = Record::from_rdata(name, 60, RData::CNAME(CNAME(target.clone())));
            reply.add_answer(alias).add_answers(txt(&target, texts));
        }
    }
    let mut truncated = reply.clone();
    truncated.answers.clear();
    truncated.metadata.truncation = true;
    let max_udp_length = usize::from(question.max_payload());
    Some(Answer { whole: reply.to_vec().unwrap(), truncated: truncated.to_vec().unwrap(), max_udp_length })
}

fn parsed_name(name: &str) -> Name {
    Name::from_ascii(name).unwrap()
}

/// TXT records whose texts are split into several strings, as long texts must be.
fn txt(name: &Name, texts: &[String]) -> Vec<Record> {
    let record = |text: &String| {
        let txt = TXT::from_bytes(text.as_bytes().chunks(20).collect());
        Record::from_rdata(name.clone(), 60, RData::TXT(txt))
    };
    texts.iter().map(record).collect()
}
