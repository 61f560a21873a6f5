//! Runs an execution from its context switches alone: a thread runs until a listed switch or until it blocks. Unlike a
//! schedule, the list stays meaningful when some of the switches are taken out.

use contest_data::decision::{Choice, DecisionPoint, MemoryPoint, Strategy};
use contest_data::limits::{Leeway, MemoryModel};
use contest_data::trace::{Decision, Event, ExecutionRecord, Pending, ThreadIndex};
use std::panic::Location;

/// One context switch: when `thread` is about to execute its operation number `index`, `to` runs instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Switch {
    /// The thread that is preempted.
    pub thread: ThreadIndex,
    /// Number of the operation it would execute next, counting from 0.
    pub index: u32,
    /// The thread that runs next.
    pub to: ThreadIndex,
}

/// The switches of an execution, in order.
#[must_use]
pub fn switches_of(record: &ExecutionRecord) -> Vec<Switch> {
    record
        .events
        .windows(2)
        .filter(|pair| pair[0].thread != pair[1].thread)
        .map(|pair| Switch {
            thread: pair[0].thread,
            index: pair[0].index + 1,
            to: pair[1].thread,
        })
        .collect()
}

/// The values that were chosen in an execution, in order.
#[must_use]
pub fn values_of(record: &ExecutionRecord) -> Vec<u16> {
    let value = |decision: &Decision| match decision {
        Decision::Value(value) => Some(*value),
        Decision::Thread(_) => None,
    };
    record.schedule.decisions.iter().filter_map(value).collect()
}

/// Runs once, with these switches.
#[derive(Clone, Debug)]
pub struct Switches {
    switches: Vec<Switch>,
    used: Vec<bool>,
    values: Vec<u16>,
    memory_model: MemoryModel,
    leeway: Leeway,
    next_value: usize,
    /// Operations executed by each thread.
    executed: Vec<u32>,
    seen: usize,
    done: bool,
}

impl Switches {
    /// With these switches and values, under this memory model.
    #[must_use]
    pub fn new(switches: &[Switch], values: &[u16], memory_model: MemoryModel) -> Self {
        Self {
            switches: switches.to_vec(),
            used: vec![false; switches.len()],
            values: values.to_vec(),
            memory_model,
            leeway: Leeway::default(),
            next_value: 0,
            executed: Vec::new(),
            seen: 0,
            done: false,
        }
    }

    /// With this leeway.
    #[must_use]
    pub fn with(mut self, leeway: Leeway) -> Self {
        self.leeway = leeway;
        self
    }

    fn count(&mut self, point: &DecisionPoint<'_>) {
        for event in &point.events[self.seen..] {
            let thread = event.thread.index();
            if self.executed.len() <= thread {
                self.executed.resize(thread + 1, 0);
            }
            self.executed[thread] += 1;
        }
        self.seen = point.events.len();
    }
}

impl Strategy for Switches {
    fn begin(&mut self) -> bool {
        !std::mem::replace(&mut self.done, true)
    }

    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        self.count(point);
        let current = point.current;
        let index = self.executed.get(current.index()).copied().unwrap_or(0);
        let listed = (0..self.switches.len()).find(|&number| {
            let switch = self.switches[number];
            !self.used[number]
                && (switch.thread, switch.index) == (current, index)
                && point.enabled.contains(switch.to)
        });
        if let Some(number) = listed {
            self.used[number] = true;
            return Choice::Run(self.switches[number].to);
        }
        let others = point.enabled.without(current);
        // What must end early is among the switches.
        let in_time = others & !point.timed;
        let others = if in_time.is_empty() { others } else { in_time };
        let stays = others.is_empty() || (point.enabled.contains(current) && !point.yielded);
        if stays {
            return Choice::Run(current);
        }
        Choice::Run(others.lowest())
    }

    fn value(&mut self, alternatives: u16) -> u16 {
        let value = self.values.get(self.next_value).copied().unwrap_or(0);
        self.next_value += 1;
        value.min(alternatives - 1)
    }

    fn memory(&mut self, point: &MemoryPoint<'_>) -> Option<u16> {
        if point.coherent.len() < 2 {
            return Some(0);
        }
        let recorded = self.value(point.coherent.len() as u16);
        Some(point.alternative(recorded).unwrap_or(0))
    }

    fn goes_on(
        &mut self,
        _events: &[Event],
        _thread: (ThreadIndex, Pending),
        _place: &'static Location<'static>,
    ) -> bool {
        self.value(2) == 1
    }

    fn fails_spuriously(&mut self) -> bool {
        self.value(2) == 1
    }

    fn memory_model(&self) -> Option<MemoryModel> {
        Some(self.memory_model)
    }

    fn leeway(&self) -> Leeway {
        self.leeway
    }

    fn seed(&mut self) -> u64 {
        (0..4).fold(0, |seed, part| {
            seed | u64::from(self.value(u16::MAX)) << (16 * part)
        })
    }

    fn end(&mut self, _record: &ExecutionRecord) {}
}
