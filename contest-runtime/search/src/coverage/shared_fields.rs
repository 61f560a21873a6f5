//! The shared fields that covered patterns are about, for reports.

use super::map_coverage::MapCoverage;
use super::sites::SiteId;
use contest_data::coverage_counts::FieldMet;
use contest_data::sorted::{self, SortedMap, SortedSet};
use contest_data::trace::Field;

/// Most fields that are reported of one type; the number of the others is reported as well.
const MOST_FIELDS: usize = 64;
/// Most places that are reported of one field.
const MOST_PLACES: usize = 8;

impl MapCoverage {
    /// The fields with most patterns, and the number of those left out.
    #[must_use]
    pub fn fields(&self) -> (Vec<FieldMet>, u64) {
        let sites = (0..self.sites().len() as u32).map(SiteId);
        let mut places: SortedMap<Field, SortedSet<(&str, u32, u32, &str)>> = SortedMap::new();
        for site in sites.map(|site| self.sites().get(site)) {
            if let Some(field) = site.field {
                let place = (site.file, site.line, site.column, site.name);
                places.get_or_default(field).insert(place);
            }
        }
        let mut patterns: SortedMap<Field, u64> = SortedMap::new();
        for pattern in self.patterns() {
            let sites = pattern.sites().into_iter();
            let fields = sites.filter_map(|site| self.sites().get(site).field);
            for field in fields.collect::<SortedSet<Field>>() {
                *patterns.get_or_default(field) += 1;
            }
        }
        let mut fields: Vec<FieldMet> = places
            .into_iter()
            .map(|(field, places)| FieldMet {
                field: field.to_string(),
                more_places: places.len().saturating_sub(MOST_PLACES) as u64,
                places: places
                    .into_iter()
                    .take(MOST_PLACES)
                    .map(|(file, line, column, name)| match line {
                        0 => format!("{name} at {file}"),
                        _ => format!("{name} at {file}:{line}:{column}"),
                    })
                    .collect(),
                patterns: patterns.get(&field).copied().unwrap_or_default(),
            })
            .collect();
        // Stable: fields with as many patterns stay in order of their names.
        sorted::sort_by_key(&mut fields, |field| std::cmp::Reverse(field.patterns));
        let more = fields.len().saturating_sub(MOST_FIELDS) as u64;
        fields.truncate(MOST_FIELDS);
        (fields, more)
    }
}
