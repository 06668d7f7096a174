//! A name server on loopback, by UDP and TCP on one port, that answers each name by a script. It says what a real one
//! might, and what only a hostile one would.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use hickory_proto::op::{Message, MessageType, ResponseCode};
use hickory_proto::rr::rdata::{CNAME, TXT};
use hickory_proto::rr::{Name, RData, Record};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, UdpSocket};
use tokio::task::JoinHandle;

/// What the name server says of a name.
#[derive(Clone, Debug)]
pub enum DnsAnswer {
    /// TXT records at it. By UDP, more than the asker takes is cut off and said to be.
    Txt(Vec<String>),
    /// It is an alias of another name, which has TXT records.
    Alias(&'static str, Vec<String>),
    /// TXT records of another name, which nobody asked for.
    Foreign(&'static str, Vec<String>),
    /// There is no such name.
    NoName,
    /// The server failed.
    Failure,
    /// The id of the question, and then these bytes.
    Garbage(&'static [u8]),
    /// Nothing at all.
    Silence,
}

/// A name server that stands until it is dropped.
#[derive(Debug)]
pub struct NameServer {
    /// Where it is asked.
    pub address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
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
    /// A name server on a free port, which answers a name (`mcp.example.com.`) by the script.
    pub async fn start(script: impl Fn(&str) -> DnsAnswer + Send + Sync + 'static) -> Self {
        let (tcp, udp) = sockets().await;
        let address = tcp.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        let answer = Arc::new(move |question: &[u8], way: &str| {
            let question = Message::from_vec(question).unwrap();
            let query = &question.queries[0];
            log.lock().unwrap().push(format!("{way} {} {}", query.query_type(), query.name()));
            answer(&question, &script(&query.name().to_string()))
        });
        let by_udp = tokio::spawn(serve_udp(udp, Arc::clone(&answer)));
        let by_tcp = tokio::spawn(serve_tcp(tcp, answer));
        Self { address, asked, tasks: [by_udp, by_tcp] }
    }

    /// What was asked of it, as `UDP TXT mcp.example.com.`
    #[must_use]
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The port must be free for both; another process may have one of them.
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
    while let Ok((length, asker)) = socket.recv_from(&mut question).await {
        if let Some(answer) = answer(&question[..length], "UDP") {
            let fits = answer.whole.len() <= answer.most_by_udp;
            let _ = socket.send_to(if fits { &answer.whole } else { &answer.cut }, asker).await;
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
    cut: Vec<u8>,
    most_by_udp: usize,
}

fn answer(question: &Message, say: &DnsAnswer) -> Option<Answer> {
    let asked = question.queries[0].name().clone();
    let mut reply = question.clone();
    reply.metadata.message_type = MessageType::Response;
    reply.metadata.recursion_available = true;
    match say {
        DnsAnswer::Silence => return None,
        DnsAnswer::Garbage(bytes) => {
            let whole = [&question.metadata.id.to_be_bytes()[..], bytes].concat();
            return Some(Answer { cut: whole.clone(), whole, most_by_udp: usize::MAX });
        }
        DnsAnswer::NoName => reply.metadata.response_code = ResponseCode::NXDomain,
        DnsAnswer::Failure => reply.metadata.response_code = ResponseCode::ServFail,
        DnsAnswer::Txt(texts) => _ = reply.add_answers(txt(&asked, texts)),
        DnsAnswer::Foreign(name, texts) => _ = reply.add_answers(txt(&of(name), texts)),
        DnsAnswer::Alias(name, texts) => {
            let alias = Record::from_rdata(asked, 60, RData::CNAME(CNAME(of(name))));
            reply.add_answer(alias).add_answers(txt(&of(name), texts));
        }
    }
    let mut cut = reply.clone();
    cut.answers.clear();
    cut.metadata.truncation = true;
    let most_by_udp = usize::from(question.max_payload());
    Some(Answer { whole: reply.to_vec().unwrap(), cut: cut.to_vec().unwrap(), most_by_udp })
}

fn of(name: &str) -> Name {
    Name::from_ascii(name).unwrap()
}

/// Each text is cut into several strings, as long ones must be.
fn txt(name: &Name, texts: &[String]) -> Vec<Record> {
    let record = |text: &String| {
        let txt = TXT::from_bytes(text.as_bytes().chunks(20).collect());
        Record::from_rdata(name.clone(), 60, RData::TXT(txt))
    };
    texts.iter().map(record).collect()
}
