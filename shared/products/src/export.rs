//! The files of a product in one piece: a skill tree or an archive. The same files always give the same
//! bytes, because files are sorted and have fixed times. Only safe relative paths are accepted.

use std::io::{Cursor, Write as _};

use flate2::{Compression, GzBuilder};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::page::File;

#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("not a safe relative path: {0:?}")]
    Path(String),
    #[error("the archive could not be written")]
    Archive(#[from] std::io::Error),
    #[error("the zip could not be written")]
    Zip(#[from] zip::result::ZipError),
}

/// All files under `skills/`. One outside a skill becomes a reference of the listing's own skill and of each that names it.
pub fn skills(files: &[File]) -> Vec<File> {
    let (mut tree, others): (Vec<File>, Vec<File>) =
        files.iter().cloned().partition(|file| file.path.starts_with("skills/"));
    // The listing's own skill has the shortest name: the others put a word before it. It names no file.
    tree.sort_by_key(|file| file.path.len());
    let folder = |skill: &File| skill.path.replace("SKILL.md", "references");
    let own = tree.first().map_or_else(|| "skills/product/references".to_owned(), folder);
    let mut references = Vec::new();
    for file in &others {
        let path = &file.path;
        let moved = |folder: &str| File { path: format!("{folder}/{path}"), ..file.clone() };
        references.push(moved(&own));
        for skill in tree.iter_mut().skip(1) {
            let text = skill.content.replace(&format!("`{path}"), &format!("`references/{path}"));
            let text = text.replace(&format!("`bash {path}"), &format!("`bash references/{path}"));
            if text != skill.content {
                references.push(moved(&folder(skill)));
                skill.content = text;
            }
        }
    }
    tree.append(&mut references);
    tree.sort_by(|one, other| one.path.cmp(&other.path));
    tree
}

pub fn zip(files: &[File]) -> Result<Vec<u8>, ExportError> {
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

pub fn tar_gz(files: &[File]) -> Result<Vec<u8>, ExportError> {
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

fn sorted(files: &[File]) -> Result<Vec<&File>, ExportError> {
    if let Some(file) = files.iter().find(|file| !is_safe(&file.path)) {
        return Err(ExportError::Path(file.path.clone()));
    }
    let mut sorted: Vec<&File> = files.iter().collect();
    sorted.sort_by(|one, other| one.path.cmp(&other.path));
    sorted.dedup_by(|one, other| one.path == other.path);
    Ok(sorted)
}

fn is_safe(path: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    path.len() <= 240
        && path.split('/').all(|part| !matches!(part, "" | "." | "..") && part.chars().all(plain))
}

#[cfg(test)]
mod tests;
