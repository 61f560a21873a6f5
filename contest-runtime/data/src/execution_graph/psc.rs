//! The order of sequentially consistent events: `psc` of Lahav et al. (PLDI 2017), section 3.3.

use super::{Buffers, Coherence, Deeds, EventSet, ExecutionGraph, Node};

fn members(mut set: EventSet) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let lowest = set.trailing_zeros() as usize;
            set &= set - 1;
            lowest
        })
    })
}

/// Neighbours of an event.
#[derive(Clone, Copy, Debug, Default)]
struct Neighbours {
    /// All that happens after it.
    after: EventSet,
    /// Later events of its thread.
    later: EventSet,
    /// Those of them that come after an event at another location, this one or one between: `sb` with `sb` at other
    /// locations before it, from this event on.
    past_location: EventSet,
    /// Accesses of its location; nothing for fences.
    same_location: EventSet,
}

/// Of all events.
#[derive(Clone, Debug, Default)]
pub(super) struct Around {
    of: Vec<Neighbours>,
    /// The events of each thread.
    threads: Vec<EventSet>,
    /// The accesses of each location.
    locations: Vec<EventSet>,
}

fn location_of(node: &Node) -> Option<usize> {
    let accesses = !matches!(node.deeds, Deeds::Fence | Deeds::Other);
    accesses.then_some(node.location as usize)
}

impl Around {
    fn find(&mut self, graph: &ExecutionGraph) {
        let Self {
            of,
            threads,
            locations,
        } = self;
        let nodes = &graph.nodes;
        of.clear();
        of.resize(nodes.len(), Neighbours::default());
        threads.clear();
        locations.clear();
        for (event, node) in nodes.iter().enumerate() {
            for earlier in members(graph.before[event]) {
                of[earlier].after |= 1 << event;
            }
            if let Some(location) = location_of(node) {
                if locations.len() <= location {
                    locations.resize(location + 1, 0);
                }
                locations[location] |= 1 << event;
            }
        }
        for (event, node) in nodes.iter().enumerate().rev() {
            let thread = usize::from(node.thread);
            if threads.len() <= thread {
                threads.resize(thread + 1, 0);
            }
            let later = threads[thread];
            let next = later & later.wrapping_neg();
            let same_location = location_of(node).map_or(0, |location| locations[location]);
            of[event].later = later;
            of[event].same_location = same_location;
            of[event].past_location = if same_location & next != 0 {
                of[next.trailing_zeros() as usize].past_location
            } else {
                later
            };
            threads[thread] |= 1 << event;
        }
    }

    /// `sb` to another location, `hb`, and again `sb` to another location.
    ///
    /// What happens after an event happens after those before it in its thread. So the first event at another location
    /// stands for all, and of each thread the first event that it happens before.
    fn by_way_of_others(&self, event: usize) -> EventSet {
        let away = self.of[event].later & !self.of[event].same_location;
        if away == 0 {
            return 0;
        }
        let arrived = self.of[away.trailing_zeros() as usize].after;
        let firsts = self.threads.iter().map(|thread| thread & arrived);
        firsts.filter(|own| *own != 0).fold(0, |set, own| {
            set | self.of[own.trailing_zeros() as usize].past_location
        })
    }

    /// `scb`: program order, and happens-before and coherence where they count for SC.
    fn sc_before(&self, event: usize, coherence: &[Coherence]) -> EventSet {
        let of = &self.of[event];
        of.later
            | self.by_way_of_others(event)
            | of.after & of.same_location
            | coherence[event].later_writes
    }
}

impl ExecutionGraph {
    /// `psc_base | psc_F` has no cycle.
    pub(super) fn psc_is_acyclic_with(&self, buffers: &mut Buffers) -> bool {
        let is_in = |set: EventSet, event: usize| set | 1 << event;
        let all = 0..self.nodes.len();
        let sc = all
            .filter(|&event| self.nodes[event].is_sc())
            .fold(0, is_in);
        if sc.count_ones() < 2 {
            return true;
        }
        let fences = members(sc)
            .filter(|&event| self.nodes[event].deeds == Deeds::Fence)
            .fold(0, is_in);
        let Buffers {
            coherence,
            around,
            next,
        } = buffers;
        around.find(self);
        // Fences that any of these events happens before, or is.
        let up_to_fences = |set: EventSet| {
            members(fences)
                .filter(|&fence| (self.before[fence] | 1 << fence) & set != 0)
                .fold(0, is_in)
        };
        next.clear();
        next.resize(self.nodes.len(), 0);
        for event in members(sc) {
            let mut from: EventSet = 1 << event;
            if fences >> event & 1 != 0 {
                let after = around.of[event].after;
                from |= after;
                let reached = members(after).fold(0, |set, at| set | coherence[at].extended);
                let before_fences = members(fences)
                    .filter(|&fence| self.before[fence] & reached != 0)
                    .fold(0, is_in);
                next[event] |= after & fences | before_fences;
            }
            let reached = members(from).fold(0, |set, at| set | around.sc_before(at, coherence));
            next[event] |= reached & sc | up_to_fences(reached);
        }
        is_acyclic(sc, next)
    }
}

fn is_acyclic(mut left: EventSet, next: &[EventSet]) -> bool {
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
