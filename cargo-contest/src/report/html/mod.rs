//! Pages to look at: one for the run, and one for each finding with its interleaving as a drawing. Every page is one
//! file that loads nothing.

use std::fs;
use std::hash::{Hash as _, Hasher as _};
use std::io::{self, Read as _};
use std::path::Path;

use contest_data::finding::Finding;

use super::run_summary::RunSummary;
use super::source_files::SourceFiles;
use crate::workspace::scratch_dir::{WriteError, make_directory, write_if_changed};
use finding_page::Reported;

mod finding_page;
mod highlight;
mod index;
mod lanes;
mod markup;
mod page;
mod places;
mod swimlanes;

/// Most findings with a page of their own; the index names those beyond.
const MOST_PAGES: usize = 500;

/// What the pages are about.
#[derive(Debug)]
pub struct HtmlReport<'a> {
    /// The run.
    pub summary: &'a RunSummary,
    /// Findings, each with the path of its test.
    pub findings: &'a [(Finding, Option<String>)],
    /// Source files of the package and its dependencies.
    pub sources: &'a SourceFiles,
    /// The command that replays a finding, without the token.
    pub replay: &'a str,
}

/// Writes `index.html` and the pages of the findings. Pages of an earlier run that are not written again are removed;
/// other files stay.
///
/// # Errors
/// If the directory or a page cannot be written.
pub fn write(directory: &Path, report: &HtmlReport<'_>) -> Result<(), WriteError> {
    make_directory(directory)?;
    let mut pages: Vec<(Reported<'_>, String)> = Vec::new();
    for (finding, emitted) in report.findings.iter().take(MOST_PAGES) {
        let reported = Reported {
            finding,
            emitted: emitted.as_deref(),
            replay: report.replay,
            package: &report.summary.package,
        };
        let page = page_name(finding, &pages);
        write_if_changed(
            &directory.join(&page),
            &finding_page::write(reported, report.sources),
        )?;
        pages.push((reported, page));
    }
    let mut notes = Vec::new();
    let beyond = report.findings.len().saturating_sub(MOST_PAGES);
    if beyond > 0 {
        notes.push(format!(
            "{beyond} further findings have no page; the JSON and SARIF reports have them all"
        ));
    }
    write_if_changed(
        &directory.join("index.html"),
        &index::write(report.summary, &pages, &notes),
    )?;
    let kept: Vec<&str> = pages.iter().map(|(_, page)| page.as_str()).collect();
    remove_others(directory, &kept).map_err(|error| WriteError::new(directory, error))
}

/// Kind and a hash of type, places and calls: a link stays valid when the run is repeated, on another machine too.
fn page_name(finding: &Finding, pages: &[(Reported<'_>, String)]) -> String {
    let mut hasher = fnv::FnvHasher::default();
    (&finding.subject, &finding.locations, &finding.threads).hash(&mut hasher);
    let hash = hasher.finish() & 0xffff_ffff;
    let taken = |name: &String| pages.iter().any(|(_, page)| page == name);
    let first = format!("{}-{hash:08x}.html", finding.kind);
    let further = (2..).map(|n| format!("{}-{hash:08x}-{n}.html", finding.kind));
    std::iter::once(first.clone())
        .chain(further)
        .find(|name| !taken(name))
        .unwrap_or(first)
}

/// Only pages that begin as ours do are removed.
fn remove_others(directory: &Path, kept: &[&str]) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name == "index.html" || !name.ends_with(".html") || kept.contains(&name.as_ref()) {
            continue;
        }
        let mut begin = vec![0; page::MARK.len()];
        let ours = fs::File::open(entry.path())
            .and_then(|mut file| file.read_exact(&mut begin))
            .is_ok_and(|()| begin == page::MARK.as_bytes());
        if ours {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
