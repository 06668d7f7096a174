//! A product's files in one piece: as a tree of Agent Skills, or as an archive. The same files give the same bytes:
//! sorted, with fixed times, and under safe relative paths only.

use std::io::{Cursor, Write as _};
use std::str::FromStr;

use flate2::{Compression, GzBuilder};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::file::File;

/// In which form a product is exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Folders of Agent Skills.
    Skills,
    /// A zip.
    Zip,
    /// A gzipped tar.
    TarGz,
}

/// A text that names no format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a format: skills, zip or tar.gz")]
pub struct InvalidFormat;

impl FromStr for Format {
    type Err = InvalidFormat;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "skills" => Ok(Self::Skills),
            "zip" => Ok(Self::Zip),
            "tar.gz" => Ok(Self::TarGz),
            _ => Err(InvalidFormat),
        }
    }
}

/// Files that cannot be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// A path that would lead out of the folder it is unpacked in.
    #[error("not a safe relative path: {0:?}")]
    Path(String),
    /// The archive could not be written.
    #[error("the archive could not be written")]
    Archive(#[from] std::io::Error),
    /// The zip could not be written.
    #[error("the zip could not be written")]
    Zip(#[from] zip::result::ZipError),
    /// The tree could not be written.
    #[error("the tree could not be written")]
    Tree(#[from] serde_json::Error),
}

/// The files as Agent Skills: each under `skills/`, what belongs to no skill as a reference of the first.
#[must_use]
pub fn skills(files: &[File]) -> Vec<File> {
    let first = files.iter().find_map(|file| file.path.strip_prefix("skills/")?.strip_suffix("/SKILL.md"));
    let folder = first.unwrap_or("product");
    let mut skills: Vec<File> = files
        .iter()
        .map(|file| {
            let path = if file.path.starts_with("skills/") {
                file.path.clone()
            } else {
                format!("skills/{folder}/references/{}", file.path)
            };
            File { path, ..file.clone() }
        })
        .collect();
    skills.sort_by(|one, other| one.path.cmp(&other.path));
    skills
}

/// The files in one piece.
///
/// # Errors
/// A path is not safe, or the piece could not be written.
pub fn archive(files: &[File], format: Format) -> Result<Vec<u8>, ExportError> {
    match format {
        Format::Skills => Ok(serde_json::to_vec(&skills(files))?),
        Format::Zip => zip(files),
        Format::TarGz => tar_gz(files),
    }
}

fn zip(files: &[File]) -> Result<Vec<u8>, ExportError> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(zip::DateTime::default())
        .unix_permissions(0o644);
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for file in sorted(files)? {
        writer.start_file(file.path.as_str(), options)?;
        writer.write_all(file.content.as_bytes())?;
    }
    Ok(writer.finish()?.into_inner())
}

fn tar_gz(files: &[File]) -> Result<Vec<u8>, ExportError> {
    let encoder = GzBuilder::new().mtime(0).write(Vec::new(), Compression::default());
    let mut builder = tar::Builder::new(encoder);
    for file in sorted(files)? {
        let mut header = tar::Header::new_gnu();
        header.set_size(u64::try_from(file.content.len()).unwrap_or(u64::MAX));
        header.set_mode(0o644);
        header.set_mtime(0);
        builder.append_data(&mut header, &file.path, file.content.as_bytes())?;
    }
    Ok(builder.into_inner()?.finish()?)
}

/// The files in the order of their paths, each of which is safe.
fn sorted(files: &[File]) -> Result<Vec<&File>, ExportError> {
    if let Some(file) = files.iter().find(|file| !is_safe(&file.path)) {
        return Err(ExportError::Path(file.path.clone()));
    }
    let mut sorted: Vec<&File> = files.iter().collect();
    sorted.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(sorted)
}

/// A relative path of plain parts, none of which leads up.
fn is_safe(path: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    path.split('/').all(|part| !matches!(part, "" | "." | "..") && part.chars().all(plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, content: &str) -> File {
        File { path: path.to_owned(), media_type: "text/plain", content: content.to_owned() }
    }

    #[test]
    fn archives_are_the_same_each_time() {
        let files = [file("skills/tides/SKILL.md", "two"), file("AGENTS.md", "one")];
        let mut other_way_round = files.clone();
        other_way_round.reverse();
        for format in [Format::Skills, Format::Zip, Format::TarGz] {
            assert_eq!(archive(&files, format).unwrap(), archive(&other_way_round, format).unwrap());
        }
        let paths: Vec<String> = skills(&files).into_iter().map(|file| file.path).collect();
        assert_eq!(paths, ["skills/tides/SKILL.md", "skills/tides/references/AGENTS.md"]);
    }

    #[test]
    fn no_path_leads_out_of_its_folder() {
        for path in ["../x", "/etc/passwd", "a/../b", "a//b", "", "a\\b", "a/./b", "C:x", "a\nb"] {
            for format in [Format::Zip, Format::TarGz] {
                assert!(archive(&[file(path, "")], format).is_err(), "{path:?}");
            }
        }
    }
}
