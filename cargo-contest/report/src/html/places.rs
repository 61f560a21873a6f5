//! Source lines beside steps, and an excerpt for each place that steps name.

use std::collections::HashMap;
use std::rc::Rc;

use super::highlight::Highlighted;
use super::markup::Markup;
use crate::source_files::{Owner, Place, SourceFiles};

/// Lines of an excerpt before and after the place.
const AROUND: u32 = 4;

/// Most excerpts of a page; further places are shown with their line only.
const MOST: usize = 150;

/// The places that a page names.
#[derive(Debug)]
pub(super) struct Places<'a> {
    sources: &'a SourceFiles,
    files: HashMap<String, Option<Rc<Highlighted>>>,
    /// File and line of each excerpt, in order of first use.
    excerpts: Vec<(String, u32)>,
    /// Positions in `excerpts`.
    known: HashMap<(String, u32), usize>,
    /// Places beyond the most.
    pub(super) left_out: usize,
}

impl<'a> Places<'a> {
    /// With these sources.
    pub(super) fn new(sources: &'a SourceFiles) -> Self {
        Self {
            sources,
            files: HashMap::new(),
            excerpts: Vec::new(),
            known: HashMap::new(),
            left_out: 0,
        }
    }

    /// The place beside a step, with its line.
    pub(super) fn write_line(&mut self, out: &mut Markup, location: &str) {
        let link = self.link(location);
        out.open("div", &[("class", "src")]);
        self.write_link(out, location, &link);
        if let Some(place) = Place::parse(location)
            && let Some(file) = self.highlighted(place.file)
        {
            out.open("code", &[]);
            file.write(out, place.line, true);
            out.close();
        }
        out.close();
    }

    fn write_link(&self, out: &mut Markup, location: &str, link: &str) {
        let shown = match Place::parse(location) {
            Some(place) => format!("{}:{}", place.file, place.line),
            None => location.to_owned(),
        };
        if link.is_empty() {
            out.element("span", &[("class", "loc"), ("title", location)], &shown);
        } else {
            out.element(
                "a",
                &[("class", "loc"), ("title", location), ("href", link)],
                &shown,
            );
        }
    }

    /// `#p3`, or nothing if no file is known.
    fn link(&mut self, location: &str) -> String {
        let Some(place) = Place::parse(location) else {
            return String::new();
        };
        if self
            .highlighted(place.file)
            .is_none_or(|file| file.len() < place.line as usize)
        {
            return String::new();
        }
        let key = (place.file.to_owned(), place.line);
        let number = match self.known.get(&key) {
            Some(&number) => number,
            None if self.excerpts.len() >= MOST => {
                self.known.insert(key, usize::MAX);
                self.left_out += 1;
                return String::new();
            }
            None => {
                self.known.insert(key.clone(), self.excerpts.len());
                self.excerpts.push(key);
                self.excerpts.len() - 1
            }
        };
        match number {
            usize::MAX => String::new(),
            number => format!("#p{}", number + 1),
        }
    }

    fn highlighted(&mut self, name: &str) -> Option<Rc<Highlighted>> {
        if let Some(known) = self.files.get(name) {
            return known.clone();
        }
        let file = self.sources.file(name);
        let lines = file.map(|file| Rc::new(Highlighted::new(&file.text)));
        self.files.insert(name.to_owned(), lines.clone());
        lines
    }

    /// All excerpts, those of the package first.
    pub(super) fn write_excerpts(&mut self, out: &mut Markup) {
        let all = std::mem::take(&mut self.excerpts);
        let mut order: Vec<usize> = (0..all.len()).collect();
        let own = |at: &usize| {
            let (file, line) = &all[*at];
            self.sources.owner(&format!("{file}:{line}:1")) != Owner::Package
        };
        order.sort_by_key(own);
        for at in order {
            let (name, line) = &all[at];
            let Some(file) = self.highlighted(name) else {
                continue;
            };
            out.open(
                "figure",
                &[("id", &format!("p{}", at + 1)), ("class", "excerpt")],
            );
            out.element("figcaption", &[], &format!("{name}:{line}"));
            out.open("pre", &[("tabindex", "0")]);
            let last = (file.len() as u32).min(line + AROUND);
            for number in line.saturating_sub(AROUND).max(1)..=last {
                let class = if number == *line { "ln here" } else { "ln" };
                out.open("span", &[("class", class)]);
                out.element("i", &[], &format!("{number:>5} "));
                out.open("code", &[]);
                file.write(out, number, false);
                out.close().close();
            }
            out.close().close();
        }
    }
}
