//! The file of an export. It begins with a line of JSON ([`Header`]). Frames follow: the length of the rest of the frame
//! (4 bytes, big endian), a random nonce (12 bytes), and the encrypted text with its tag (AES-256-GCM). A tag also covers
//! the header and the number of the frame, so frames cannot be changed, moved or left out. The text of a frame begins with
//! a line of JSON ([`Head`]). The first frame describes the source, the last one contains the sums of the whole file. A
//! file without its last frame is not complete.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use registry::model::{Moment, Random};
use registry::store::{Contents, ItemKey};
use ring::aead::{Aad, LessSafeKey, NONCE_LEN, Nonce};
use ring::digest::{self, SHA256};
use serde::{Deserialize, Serialize};

use super::passphrase::Passphrase;

const FORMAT: &str = "registry-export";
const VERSION: u32 = 1;
const CIPHER: &str = "AES-256-GCM";
const KEY_DERIVATION: &str = "PBKDF2-HMAC-SHA256";
/// A header with more iterations is refused, because it would keep this process busy for minutes.
const MAX_ITERATIONS: u32 = 10_000_000;
const MAX_HEADER_BYTES: u64 = 1024;
/// A page of DynamoDB has at most 1 MB and one item. Its control characters take six bytes in JSON.
const MAX_FRAME_BYTES: usize = 16 << 20;
const MIN_FRAME_BYTES: usize = NONCE_LEN + 16;

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("{0}: {1}")]
    File(PathBuf, io::Error),
    #[error("{0} is not an export of a registry, or its beginning is damaged")]
    NotAnExport(PathBuf),
    #[error(
        "{0} has version {1} of the format, and this program reads version {VERSION}; use the program that wrote it, or a newer one"
    )]
    Version(PathBuf, u32),
    #[error("cannot decrypt {0}: the passphrase is wrong, or the beginning of the file is damaged")]
    Passphrase(PathBuf),
    #[error(
        "{0} is damaged at byte {1}; copy it again from its source, and compare the SHA-256 that the export printed"
    )]
    Damaged(PathBuf, u64),
    #[error("{0} is cut off after byte {1}; copy it again, or let the export finish")]
    Cut(PathBuf, u64),
    #[error("{0}: the encryption failed")]
    Encryption(PathBuf),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Header {
    format: String,
    version: u32,
    cipher: String,
    key_derivation: String,
    iterations: u32,
    /// Base64.
    salt: String,
}

/// The first line of a frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Head {
    Start(Start),
    /// The items follow, one in each line.
    Page {
        contents: Contents,
        next: Option<ItemKey>,
    },
    End(End),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Start {
    /// The exported table.
    pub(super) source: String,
    pub(super) at: Moment,
    /// The version of the program.
    pub(super) program: String,
}

/// The sums of the whole file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct End {
    pub(super) pages: u64,
    pub(super) contents: Contents,
    /// Of the texts of all frames before this one, in hexadecimal.
    pub(super) sha256: String,
}

/// The sums of the frames so far.
#[derive(Clone)]
pub(super) struct Sums {
    pub(super) pages: u64,
    pub(super) contents: Contents,
    digest: digest::Context,
}

impl Default for Sums {
    fn default() -> Self {
        Self { pages: 0, contents: Contents::default(), digest: digest::Context::new(&SHA256) }
    }
}

impl Sums {
    pub(super) fn add(&mut self, frame: &Frame) {
        self.digest.update(&frame.text);
        if let Head::Page { contents, .. } = &frame.head {
            self.pages += 1;
            self.contents.add(contents.clone());
        }
    }

    pub(super) fn end(&self) -> End {
        let sha256 = hex(self.digest.clone().finish().as_ref());
        End { pages: self.pages, contents: self.contents.clone(), sha256 }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Encrypts and decrypts the frames of one file.
struct FrameKey {
    key: LessSafeKey,
    header: Vec<u8>,
}

impl FrameKey {
    fn bound_to(&self, number: u64) -> Aad<Vec<u8>> {
        Aad::from([number.to_be_bytes().as_slice(), &self.header].concat())
    }

    /// The nonce, the encrypted text and its tag.
    fn seal(&self, number: u64, mut text: Vec<u8>, random: &Random) -> Option<Vec<u8>> {
        let nonce: [u8; NONCE_LEN] = random.bytes();
        let used = Nonce::assume_unique_for_key(nonce);
        self.key.seal_in_place_append_tag(used, self.bound_to(number), &mut text).ok()?;
        Some([nonce.as_slice(), &text].concat())
    }

    fn open(&self, number: u64, mut frame: Vec<u8>) -> Option<Vec<u8>> {
        let mut text = frame.split_off(NONCE_LEN.min(frame.len()));
        let nonce = Nonce::try_assume_unique_for_key(&frame).ok()?;
        let length = self.key.open_in_place(nonce, self.bound_to(number), &mut text).ok()?.len();
        text.truncate(length);
        Some(text)
    }
}

/// A decrypted frame.
pub(super) struct Frame {
    pub(super) head: Head,
    text: Vec<u8>,
}

impl Frame {
    fn new(head: Head, lines: &str) -> Result<Self, serde_json::Error> {
        let mut text = serde_json::to_vec(&head)?;
        text.push(b'\n');
        text.extend_from_slice(lines.as_bytes());
        Ok(Self { head, text })
    }

    fn parse(text: Vec<u8>) -> Option<Self> {
        std::str::from_utf8(&text).ok()?;
        let line = text.split(|byte| *byte == b'\n').next()?;
        Some(Self { head: serde_json::from_slice(line).ok()?, text })
    }

    /// The lines after the head.
    pub(super) fn lines(&self) -> &str {
        let text = std::str::from_utf8(&self.text).unwrap_or_default();
        text.split_once('\n').map_or("", |(_, lines)| lines)
    }
}

/// Reads a file from its beginning.
pub(super) struct Reader {
    path: PathBuf,
    input: BufReader<File>,
    key: FrameKey,
    number: u64,
    /// Where the last frame began.
    last: u64,
    /// Where the next frame begins.
    position: u64,
}

impl Reader {
    pub(super) fn open(path: &Path, passphrase: &Passphrase) -> Result<Self, FileError> {
        let failed = |error| FileError::File(path.to_path_buf(), error);
        let not_an_export = || FileError::NotAnExport(path.to_path_buf());
        let mut input = BufReader::new(File::open(path).map_err(failed)?);
        let mut line = Vec::new();
        input.by_ref().take(MAX_HEADER_BYTES).read_until(b'\n', &mut line).map_err(failed)?;
        let header: Header = serde_json::from_slice(&line).map_err(|_| not_an_export())?;
        if header.format != FORMAT {
            return Err(not_an_export());
        }
        if header.version != VERSION {
            return Err(FileError::Version(path.to_path_buf(), header.version));
        }
        let is_known = header.cipher == CIPHER && header.key_derivation == KEY_DERIVATION;
        let salt = BASE64.decode(&header.salt).ok();
        let salt = salt.filter(|_| is_known && header.iterations <= MAX_ITERATIONS);
        let key = salt.and_then(|salt| passphrase.key(&salt, header.iterations));
        let key = key.ok_or_else(not_an_export)?;
        let position = line.len() as u64;
        Ok(Self {
            path: path.to_path_buf(),
            input,
            key: FrameKey { key, header: line },
            number: 0,
            last: position,
            position,
        })
    }

    /// The description of the source: the first frame.
    pub(super) fn start(&mut self) -> Result<(Frame, Start), FileError> {
        let wrong = |error| match error {
            FileError::Damaged(path, _) => FileError::Passphrase(path),
            other => other,
        };
        let frame = self.frame().map_err(wrong)?;
        let start = match &frame.head {
            Head::Start(start) => start.clone(),
            Head::Page { .. } | Head::End(_) => return Err(self.damaged()),
        };
        Ok((frame, start))
    }

    /// The next frame.
    ///
    /// # Errors
    /// [`FileError::Cut`] if the file ends before the end of a frame.
    pub(super) fn frame(&mut self) -> Result<Frame, FileError> {
        let mut length = [0; 4];
        self.fill(&mut length)?;
        let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
        if !(MIN_FRAME_BYTES..=MAX_FRAME_BYTES).contains(&length) {
            return Err(self.damaged());
        }
        let mut bytes = vec![0; length];
        self.fill(&mut bytes)?;
        let text = self.key.open(self.number, bytes);
        let frame = text.and_then(Frame::parse).ok_or_else(|| self.damaged())?;
        self.number += 1;
        self.last = self.position;
        self.position += 4 + length as u64;
        Ok(frame)
    }

    /// Takes the last frame back, so that it is written again.
    pub(super) fn without_last(self) -> Self {
        Self { number: self.number.saturating_sub(1), position: self.last, ..self }
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), FileError> {
        self.input.read_exact(bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => FileError::Cut(self.path.clone(), self.position),
            _ => FileError::File(self.path.clone(), error),
        })
    }

    /// Whether nothing follows.
    pub(super) fn is_at_end(&mut self) -> Result<bool, FileError> {
        let rest = self.input.fill_buf().map_err(|error| FileError::File(self.path.clone(), error))?;
        Ok(rest.is_empty())
    }

    pub(super) fn damaged(&self) -> FileError {
        FileError::Damaged(self.path.clone(), self.position)
    }

    /// Continues the file after the last whole frame that was read.
    pub(super) fn into_writer(self) -> Result<Writer, FileError> {
        let Self { path, key, number, position, .. } = self;
        let open = || {
            let mut file = File::options().write(true).open(&path)?;
            file.set_len(position)?;
            io::Seek::seek(&mut file, io::SeekFrom::End(0))?;
            Ok(file)
        };
        let file = open().map_err(|error| FileError::File(path.clone(), error))?;
        Ok(Writer { path, file, key, number, begun: true })
    }
}

/// Writes a file, one frame after the other.
pub(super) struct Writer {
    path: PathBuf,
    file: File,
    key: FrameKey,
    number: u64,
    /// Whether the header is written. It is written with the first frame.
    begun: bool,
}

impl Writer {
    /// Creates a file that only its owner may read.
    pub(super) fn create(path: &Path, passphrase: &Passphrase, random: &Random) -> Result<Self, FileError> {
        let salt = random.bytes::<16>();
        let header = Header {
            format: FORMAT.to_owned(),
            version: VERSION,
            cipher: CIPHER.to_owned(),
            key_derivation: KEY_DERIVATION.to_owned(),
            iterations: passphrase.iterations,
            salt: BASE64.encode(salt),
        };
        let key = passphrase.key(&salt, passphrase.iterations);
        let key = key.ok_or_else(|| FileError::Encryption(path.to_path_buf()))?;
        let create = || {
            let mut options = File::options();
            options.write(true).create(true).truncate(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let mut header = serde_json::to_vec(&header)?;
            header.push(b'\n');
            Ok((options.open(path)?, header))
        };
        let (file, header) = create().map_err(|error| FileError::File(path.to_path_buf(), error))?;
        Ok(Self { path: path.to_path_buf(), file, key: FrameKey { key, header }, number: 0, begun: false })
    }

    /// Appends a frame and adds it to the sums.
    pub(super) fn write(
        &mut self,
        head: Head,
        lines: &str,
        sums: &mut Sums,
        random: &Random,
    ) -> Result<(), FileError> {
        let failed = |error| FileError::File(self.path.clone(), error);
        let frame = Frame::new(head, lines).map_err(|error| failed(error.into()))?;
        sums.add(&frame);
        let sealed = self.key.seal(self.number, frame.text, random);
        let sealed = sealed.filter(|sealed| sealed.len() <= MAX_FRAME_BYTES);
        let sealed = sealed.ok_or_else(|| FileError::Encryption(self.path.clone()))?;
        let length = u32::try_from(sealed.len()).unwrap_or(u32::MAX).to_be_bytes();
        let header = if self.begun { &[] } else { self.key.header.as_slice() };
        self.file.write_all(&[header, length.as_slice(), &sealed].concat()).map_err(failed)?;
        self.begun = true;
        self.number += 1;
        Ok(())
    }

    /// Gives the finished file its name.
    pub(super) fn finish(self, name: &Path) -> Result<(), FileError> {
        let finish = || {
            self.file.sync_all()?;
            std::fs::rename(&self.path, name)
        };
        finish().map_err(|error| FileError::File(name.to_path_buf(), error))
    }
}

/// The SHA-256 of a file as it is, in hexadecimal; `sha256sum` prints the same.
pub(super) fn sha256_of(path: &Path) -> Result<String, FileError> {
    let digest = || {
        let (mut file, mut digest) = (File::open(path)?, digest::Context::new(&SHA256));
        let mut part = vec![0; 1 << 16];
        loop {
            match file.read(&mut part)? {
                0 => return Ok(hex(digest.finish().as_ref())),
                length => digest.update(&part[..length]),
            }
        }
    };
    digest().map_err(|error| FileError::File(path.to_path_buf(), error))
}
