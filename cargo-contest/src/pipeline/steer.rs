//! Static analysis of the types under test, as input of the generators. It never makes a run fail: problems are
//! reported and counted, and pairs about which nothing is known are all tested.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use contest_data::atomic_sets::FieldSite;
use contest_data::dependencies::{Dependencies, PairDependency};
use contest_data::observed::Observed;
use contest_data::settings::UnseenOrder;
use contest_data::totals::SubjectTotals;
use tracing::info_span;

use super::failure::Failure;
use super::prepare::{Prepared, package_directory, short_locations};
use crate::cli::exit_code::ExitCode;
use crate::cli::options::{FieldGroups, RunOptions};
use contest_analyse::analysis::Analysis;
use contest_analyse::{SourcePackage, analyse_until};
use contest_build::workspace::selection::Package;
use contest_build::workspace::stop_handle::StopHandle;
use contest_catalog::checked::Checked;
use contest_catalog::dependency_graph::{DependencyGraph, Relation};
use contest_catalog::skipped::Skipped;
use contest_catalog::subject_catalog::{SubjectCatalog, SubjectEntry};
use contest_report::run_summary::Analysed;

/// Longest that a run waits for the analysis once everything else is ready.
const PATIENCE: Duration = Duration::from_secs(20);
/// The parser of expanded sources recurses over expressions.
const STACK: usize = 64 << 20;
const PANICKED: &str = "it panicked, which is a bug of this tool";

/// An analysis under way, beside the build.
pub(super) struct Reading {
    running: Running,
    receiver: Receiver<Result<Analysis, String>>,
    /// Longest that it is waited for.
    patience: Duration,
    /// The analysis, or why there is none, once it has been waited for.
    ready: Option<Result<Analysis, String>>,
    atomic_sets: Vec<FieldSite>,
}

/// Its result for the types under test.
#[derive(Debug, Default)]
pub(super) struct Steering {
    /// For the request.
    pub(super) dependencies: Vec<Dependencies>,
    /// Places that access fields, with the sets that the user has grouped the fields into.
    pub(super) atomic_sets: Vec<FieldSite>,
    /// Operations that run assembly or code of other languages.
    pub(super) unseen_order: Vec<UnseenOrder>,
    /// Number of each subject, and all that is known of it.
    pub(super) graphs: Vec<(u16, DependencyGraph)>,
    /// For the report.
    pub(super) analysed: Analysed,
    analysis: Option<Analysis>,
}

/// Begins to analyse a package. It is waited for so many times longer than by default.
pub(super) fn begin(package: SourcePackage, times: u32) -> Reading {
    let (sender, receiver) = channel();
    let running = Running::default();
    let stop = running.0.clone();
    let thread = std::thread::Builder::new().stack_size(STACK);
    // Without a thread, or if it panics, the receiver is disconnected.
    let _ = thread.spawn(move || {
        let _span = info_span!("analyse").entered();
        let _ = sender.send(analyse_until(&package, &stop).map_err(|error| error.to_string()));
    });
    Reading {
        patience: PATIENCE * times,
        ..Reading::of(receiver, running)
    }
}

/// The compiler of an analysis that nobody waits for any more ends: the exploration has the cores.
#[derive(Debug, Default)]
struct Running(StopHandle);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.stop();
    }
}

impl Reading {
    fn of(receiver: Receiver<Result<Analysis, String>>, running: Running) -> Self {
        Self {
            running,
            receiver,
            patience: PATIENCE,
            ready: None,
            atomic_sets: Vec::new(),
        }
    }

    fn wait(&mut self) -> &Result<Analysis, String> {
        let (receiver, running) = (&self.receiver, &self.running);
        self.ready
            .get_or_insert_with(|| match receiver.recv_timeout(self.patience) {
                Ok(analysis) => analysis,
                Err(RecvTimeoutError::Timeout) => {
                    running.0.stop();
                    Err("it took too long".to_string())
                }
                Err(RecvTimeoutError::Disconnected) => Err(PANICKED.to_string()),
            })
    }

    /// Finds the fields that the user has grouped. Without groups nothing is waited for.
    ///
    /// # Errors
    /// If a field does not exist, or the analysis, which finds fields, has failed.
    pub(super) fn group(&mut self, package: &Package, groups: &FieldGroups) -> Result<(), Failure> {
        if groups.groups.is_empty() {
            return Ok(());
        }
        let analysis = match self.wait() {
            Ok(analysis) => analysis,
            Err(why) => {
                return Err(Failure::new(
                    ExitCode::ToolFailed,
                    format!(
                        "{}: static analysis finds the fields, and {why}",
                        groups.given
                    ),
                ));
            }
        };
        let mut sites = analysis
            .field_sites(&groups.groups)
            .map_err(|error| Failure::new(ExitCode::Usage, format!("{}: {error}", groups.given)))?;
        // The compiler knows the files of the package by their full names.
        let directory = package_directory(package);
        for site in &mut sites {
            site.file = directory.join(&site.file).display().to_string();
        }
        self.atomic_sets = sites;
        Ok(())
    }

    /// Waits for the analysis and relates the operations of the selected subjects.
    pub(super) fn steer(
        mut self,
        catalog: &SubjectCatalog,
        selected: &[u16],
        options: &RunOptions,
    ) -> Steering {
        // Pairs can be checked only if they are run.
        let prune = options.settings.prunings.pairs && !options.settings.behaviour;
        self.wait();
        let why = match self.ready.unwrap_or_else(|| Err(PANICKED.to_string())) {
            Ok(analysis) => {
                let steered = catch_unwind(AssertUnwindSafe(|| {
                    steer(&analysis, catalog, selected, prune)
                }));
                match steered {
                    Ok(mut steering) => {
                        steering.analysis = Some(analysis);
                        steering.atomic_sets = self.atomic_sets;
                        return steering;
                    }
                    Err(_) => PANICKED.to_string(),
                }
            }
            Err(why) => why,
        };
        Steering {
            analysed: Analysed {
                left_out: vec![Skipped::new("static analysis", why)],
                ..Analysed::default()
            },
            atomic_sets: self.atomic_sets,
            ..Steering::default()
        }
    }
}

fn steer(analysis: &Analysis, catalog: &SubjectCatalog, selected: &[u16], prune: bool) -> Steering {
    let mut steering = Steering::default();
    steering.analysed.left_out.clone_from(&analysis.skipped);
    for number in selected {
        let Some(subject) = catalog.subjects.get(usize::from(*number)) else {
            continue;
        };
        let graph = analysis.subject(subject);
        // What a method does to values of its type parameters is not in its summary.
        let prune = prune && !subject.path.contains('<');
        let (exact, all) = graph.exact();
        steering.analysed.exact += exact;
        steering.analysed.operations += all;
        steering
            .dependencies
            .push(dependencies(*number, &graph, prune));
        steering.unseen_order.extend(unseen_order(*number, &graph));
        steering.graphs.push((*number, graph));
    }
    steering
}

impl Steering {
    /// A hash of the code of a type, unless the analysis failed.
    pub(super) fn code_of(&self, subject: &SubjectEntry) -> Option<String> {
        Some(self.analysis.as_ref()?.code_of(subject))
    }

    /// Compares what was observed with the analysis.
    pub(super) fn check(&mut self, prepared: &Prepared, totals: &[SubjectTotals]) {
        let Some(analysis) = &self.analysis else {
            return;
        };
        // Summaries name places relative to the package.
        let short = short_locations(prepared.package());
        let directory = prepared.package_directory();
        let own = |location: &str| {
            let text = short.text(location);
            let mut parts = text.rsplitn(3, ':');
            let (_, line, file) = (parts.next()?, parts.next()?, parts.next()?);
            let there = directory.join(file).is_file();
            there.then_some((file.to_string(), line.parse().ok()?))
        };
        let mut checked = Checked::default();
        for (number, graph) in &self.graphs {
            let Some(subject) = prepared.driver.catalog.subjects.get(usize::from(*number)) else {
                continue;
            };
            let seen = totals.iter().filter(|it| it.name == subject.shown());
            for SubjectTotals { behaviour, .. } in seen {
                let Observed {
                    alone,
                    together,
                    dropped,
                } = behaviour;
                checked.dropped += dropped;
                checked.add(analysis.check(subject, graph, alone, together, &own));
            }
        }
        checked.wrong.sort();
        checked.wrong.dedup();
        self.analysed.checked = Some(checked);
    }
}

/// Operations of a subject that hide what orders threads, if there are any.
fn unseen_order(subject: u16, graph: &DependencyGraph) -> Option<UnseenOrder> {
    let operations: Vec<u16> = (0..)
        .zip(&graph.methods)
        .filter(|(_, method)| method.hides_order())
        .map(|(number, _)| number)
        .collect();
    (!operations.is_empty()).then_some(UnseenOrder {
        subject,
        operations,
    })
}

/// The pairs of one subject. What only unknown code may do is no relation, but such a pair is not exact either.
fn dependencies(subject: u16, graph: &DependencyGraph, prune: bool) -> Dependencies {
    let pairs = graph
        .pairs
        .iter()
        .map(|pair| PairDependency {
            left: pair.first,
            right: pair.second,
            conflict: pair.conflict == Relation::Yes,
            parallel: pair.parallel,
            deadlock: pair.double_lock == Relation::Yes,
            exact: prune
                && pair.exact
                && pair.conflict != Relation::Unknown
                && pair.double_lock != Relation::Unknown,
            rank: pair.rank(),
        })
        .collect();
    Dependencies {
        subject,
        pairs,
        circles: graph.cycles.iter().map(|cycle| cycle.methods).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::RunArgs;
    use crate::cli::settings::ManifestSettings;
    use contest_catalog::dependency_graph::Dependency;

    fn graph(conflict: Relation, exact: bool) -> DependencyGraph {
        DependencyGraph {
            pairs: vec![Dependency {
                first: 0,
                second: 1,
                conflict,
                parallel: true,
                double_lock: Relation::No,
                exact,
            }],
            ..DependencyGraph::default()
        }
    }

    #[test]
    fn only_what_is_certain_can_be_left_out() {
        let exact =
            |conflict, exact, prune| dependencies(3, &graph(conflict, exact), prune).pairs[0].exact;
        assert!(exact(Relation::No, true, true));
        assert!(!exact(Relation::No, false, true));
        assert!(!exact(Relation::Unknown, true, true));
        assert!(!exact(Relation::No, true, false), "--no-prune pairs");
        assert_eq!(
            dependencies(3, &graph(Relation::Yes, true), true).subject,
            3
        );
    }

    #[test]
    fn an_analysis_that_fails_is_reported_and_nothing_is_left_out() {
        let (sender, receiver) = channel();
        drop(sender);
        let steering = Reading::of(receiver, Running::default()).steer(
            &SubjectCatalog::default(),
            &[0],
            &RunOptions::new(RunArgs::default(), ManifestSettings::default()).unwrap(),
        );
        assert!(steering.dependencies.is_empty());
        assert_eq!(steering.analysed.left_out[0].item, "static analysis");
        assert!(steering.analysed.left_out[0].why.contains("panicked"));
    }

    #[test]
    fn an_analysis_that_is_not_waited_for_any_more_is_ended() {
        let (_sender, receiver) = channel();
        let running = Running::default();
        let stop = running.0.clone();
        drop(Reading::of(receiver, running));
        assert!(stop.is_stopped());
    }
}
