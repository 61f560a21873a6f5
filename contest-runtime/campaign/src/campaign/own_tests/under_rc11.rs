//! What is explored of one test under RC11, and why not all of it.

use contest_data::own_tests::{OwnTestSettings, WeakPart};
use contest_data::settings::ModelChoice;
use contest_data::trace::ExecutionRecord;
use contest_search::explore::{Budget, Explorer, WeakRaces, unmodelled};

/// The part of an exploration that is under RC11.
pub(super) struct UnderRc11 {
    model: ModelChoice,
    /// The strategy was left to the tool: with another one, executions stay under the model that it was named for.
    is_auto: bool,
    /// What may be different under it.
    races: WeakRaces,
    /// What executions did that the model does not have.
    unmodelled: Option<&'static str>,
    executions: u64,
    complete: bool,
}

impl UnderRc11 {
    pub(super) fn new(settings: &OwnTestSettings) -> Self {
        Self {
            model: settings.memory_model,
            is_auto: settings.strategy == "auto",
            races: WeakRaces::default(),
            unmodelled: None,
            executions: 0,
            complete: false,
        }
    }

    /// Takes in what an execution did.
    pub(super) fn see(&mut self, record: &ExecutionRecord, descriptors: bool) {
        if self.model == ModelChoice::Sc {
            return;
        }
        self.races.see(record);
        if self.unmodelled.is_none() {
            self.unmodelled = match descriptors {
                // What the kernel does for them orders operations in ways that the model does not have.
                true => Some("it opens descriptors, which are not modelled"),
                false => unmodelled(record),
            };
        }
    }

    /// The exploration by the strategy of this name, under the models that were chosen.
    ///
    /// # Errors
    /// The name, if there is no such strategy.
    pub(super) fn explorer(
        &self,
        name: &str,
        seed: u64,
        budget: Budget,
    ) -> Result<Explorer, String> {
        let most = budget.executions;
        match self.model {
            ModelChoice::Rc11 if self.unmodelled.is_none() => Explorer::weak(name, seed, budget),
            ModelChoice::Auto if self.unmodelled.is_none() && self.is_auto => {
                let explorer = Explorer::new(name, seed, budget)?;
                Ok(explorer.then_weak(seed, most).to_the_end())
            }
            _ => Explorer::new(name, seed, budget),
        }
    }

    /// Takes in what was explored.
    pub(super) fn note(&mut self, explorer: &Explorer) {
        let (executions, complete) = match self.model {
            ModelChoice::Rc11 if self.unmodelled.is_none() => {
                (explorer.executions(), explorer.exhausted())
            }
            _ => (explorer.weak_executions(), explorer.weak_exhausted()),
        };
        self.executions += executions;
        self.complete = executions > 0 && complete && self.unmodelled.is_none();
    }

    /// Why the test is not under RC11 although that was chosen.
    pub(super) fn refused(&self) -> Option<String> {
        let why = self
            .unmodelled
            .filter(|_| self.model == ModelChoice::Rc11)?;
        Some(why.to_owned())
    }

    /// What was explored, if another model may make a difference. `cut`: why an execution was cut; `over`: why the
    /// exploration was stopped.
    pub(super) fn part(&self, cut: Option<&str>, over: Option<&str>) -> Option<WeakPart> {
        if self.model == ModelChoice::Sc || !self.races.make_a_difference() {
            return None;
        }
        // An execution that was cut is none of a graph.
        let complete = self.complete && cut.is_none();
        let why = match (complete, self.unmodelled) {
            (true, _) => "",
            (false, Some(why)) => why,
            (false, None) if self.model == ModelChoice::Auto && !self.is_auto => {
                "a strategy was chosen, and only `auto` goes on under RC11"
            }
            (false, None) => cut.or(over).unwrap_or("not every execution graph was run"),
        };
        Some(WeakPart {
            executions: self.executions,
            complete,
            why: why.to_owned(),
        })
    }
}
