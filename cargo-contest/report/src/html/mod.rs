//! Pages to look at: one for the run, and one for each finding with its interleaving as a drawing. Every page is one
//! file that loads nothing.

use std::collections::HashSet;
use std::fs;
use std::hash::{Hash as _, Hasher as _};
use std::io::{self, Read as _};
use std::path::Path;

use contest_data::finding::Finding;

use super::causes::{Causes, FoundCause};
use super::run_summary::RunSummary;
use super::source_files::SourceFiles;
use contents::Contents;
use contest_build::workspace::scratch_dir::{WriteError, make_directory, write_if_changed};
use contest_catalog::reasons::Reason;
use finding_page::Reported;

mod contents;
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
    /// Why types and methods were left out.
    pub left_out: &'a [Reason],
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
    let all = report.findings;
    let mut pages: Vec<Option<String>> = vec![None; all.len()];
    let causes = &report.summary.causes;
    let mut taken = HashSet::new();
    for (cause, place) in with_pages(causes) {
        let Some((finding, emitted)) = all.get(place) else {
            continue;
        };
        let reported = Reported {
            finding,
            emitted: emitted.as_deref(),
            replay: report.replay,
            package: &report.summary.package,
            cause: (cause.number, cause.findings.len() - 1),
        };
        let page = page_name(finding, &taken);
        write_if_changed(
            &directory.join(&page),
            &finding_page::write(reported, report.sources),
        )?;
        taken.insert(page.clone());
        pages[place] = Some(page);
    }
    let mut notes = Vec::new();
    let beyond = all.len() - taken.len();
    if beyond > 0 {
        notes.push(format!(
            "{beyond} further findings have no page; the JSON and SARIF reports have them all"
        ));
    }
    let contents = Contents {
        summary: report.summary,
        findings: all,
        pages: &pages,
        left_out: report.left_out,
        notes: &notes,
    };
    write_if_changed(&directory.join("index.html"), &index::write(&contents))?;
    remove_others(directory, &taken).map_err(|error| WriteError::new(directory, error))
}

/// The places of the findings with pages of their own, each with its cause: the first ones of all causes come before
/// other ways to them.
fn with_pages(causes: &Causes) -> Vec<(&FoundCause, usize)> {
    let all = causes.most_definite_first();
    let firsts = all
        .iter()
        .filter_map(|cause| Some((*cause, cause.first()?)));
    let others = all.iter().flat_map(|cause| {
        let others = cause
            .others()
            .into_iter()
            .flat_map(|(_, findings)| findings);
        others.map(move |finding| (*cause, finding))
    });
    let order = firsts.chain(others);
    let places = order.map(|(cause, finding)| (cause, finding.place));
    places.take(MOST_PAGES).collect()
}

/// Kind and a hash of type, places and calls: a link stays valid when the run is repeated, on another machine too.
fn page_name(finding: &Finding, taken: &HashSet<String>) -> String {
    let mut hasher = fnv::FnvHasher::default();
    (&finding.subject, &finding.locations, &finding.threads).hash(&mut hasher);
    let hash = hasher.finish() & 0xffff_ffff;
    let first = format!("{}-{hash:08x}.html", finding.kind);
    let further = (2..).map(|n| format!("{}-{hash:08x}-{n}.html", finding.kind));
    std::iter::once(first.clone())
        .chain(further)
        .find(|name| !taken.contains(name))
        .unwrap_or(first)
}

/// Only pages that begin as ours do are removed.
fn remove_others(directory: &Path, kept: &HashSet<String>) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name == "index.html" || !name.ends_with(".html") || kept.contains(name.as_ref()) {
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
