//! The order of sequentially consistent events: `psc` of Lahav et al. (PLDI 2017), section 3.3.

use super::{Deeds, EventSet, ExecutionGraph};

fn members(mut set: EventSet) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let lowest = set.trailing_zeros() as usize;
            set &= set - 1;
            lowest
        })
    })
}

impl ExecutionGraph {
    /// `psc_base | psc_F` has no cycle.
    pub(super) fn psc_is_acyclic_with(&self, eco: &[EventSet]) -> bool {
        let all = 0..self.nodes.len();
        let sc = all
            .clone()
            .filter(|&event| self.nodes[event].is_sc())
            .fold(0, |set: EventSet, event| set | 1 << event);
        if sc.count_ones() < 2 {
            return true;
        }
        let fences = members(sc)
            .filter(|&event| self.nodes[event].deeds == Deeds::Fence)
            .fold(0, |set: EventSet, event| set | 1 << event);
        let mut after = vec![0; self.nodes.len()];
        for event in all {
            for earlier in members(self.before[event]) {
                after[earlier] |= 1 << event;
            }
        }
        // Fences that any of these events happens before, or is.
        let up_to_fences = |set: EventSet| {
            members(fences)
                .filter(|&fence| (self.before[fence] | 1 << fence) & set != 0)
                .fold(0, |found: EventSet, fence| found | 1 << fence)
        };
        let mut next = vec![0; self.nodes.len()];
        for event in members(sc) {
            let mut from: EventSet = 1 << event;
            if fences >> event & 1 != 0 {
                from |= after[event];
                let reached = members(after[event]).fold(0, |set, at| set | eco[at]);
                let before_fences = members(fences)
                    .filter(|&fence| self.before[fence] & reached != 0)
                    .fold(0, |found: EventSet, fence| found | 1 << fence);
                next[event] |= after[event] & fences | before_fences;
            }
            let reached = members(from).fold(0, |set, at| set | self.sc_before(at, &after));
            next[event] |= reached & sc | up_to_fences(reached);
        }
        is_acyclic(sc, next)
    }

    /// `scb`: program order, and happens-before and coherence where they count for SC.
    fn sc_before(&self, event: usize, after: &[EventSet]) -> EventSet {
        let (later, same_location) = self.relatives(event);
        let away = members(later & !same_location).fold(0, |set, at| set | after[at]);
        let arrived = members(away).fold(0, |set, at| {
            let (later, same_location) = self.relatives(at);
            set | later & !same_location
        });
        later | arrived | after[event] & same_location | self.later_writes(event)
    }

    /// Later events of the same thread, and all events at the same location.
    fn relatives(&self, event: usize) -> (EventSet, EventSet) {
        let node = &self.nodes[event];
        let accesses = |deeds| !matches!(deeds, Deeds::Fence | Deeds::Other);
        let (mut later, mut same_location): (EventSet, EventSet) = (0, 0);
        for (other, what) in self.nodes.iter().enumerate() {
            later |= EventSet::from(what.thread == node.thread && other > event) << other;
            let same =
                accesses(node.deeds) && accesses(what.deeds) && what.location == node.location;
            same_location |= EventSet::from(same) << other;
        }
        (later, same_location)
    }
}

fn is_acyclic(mut left: EventSet, next: Vec<EventSet>) -> bool {
    loop {
        // Events without a successor are in no cycle.
        let ends = members(left)
            .filter(|&event| next[event] & left == 0)
            .fold(0, |set: EventSet, event| set | 1 << event);
        if ends == 0 {
            return left == 0;
        }
        left &= !ends;
    }
}
