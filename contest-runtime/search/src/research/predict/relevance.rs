//! Which events of an execution a model states, and which rules its objects have.

use super::object_kinds::{Kind, concurrent_from, kinds};
use super::plain_steps::PlainSteps;
use super::rules::draft::Draft;
use super::step::Cuts;
use super::values::Values;
use contest_data::trace::{
    Action, Event, ExecutionRecord, LockMode, ObjectId, ThreadIndex, ThreadSet,
};

impl<'r> Draft<'r> {
    /// The concurrent part of the execution, cut at operations that no rule can state.
    pub(super) fn of(record: &'r ExecutionRecord) -> Self {
        let end = record.events.len() as u32;
        let mut draft = Self {
            record,
            begin: concurrent_from(record),
            limit: vec![end; usize::from(record.threads)],
            uses: vec![Vec::new(); record.objects.len()],
            relevant: vec![false; record.objects.len()],
            needs: Vec::new(),
            found: Vec::new(),
            cuts: Cuts::default(),
        };
        for panic in &record.panics {
            let limit = &mut draft.limit[panic.thread.index()];
            if panic.step < *limit {
                *limit = panic.step;
                draft.cuts.panics += 1;
            }
        }
        for (position, event) in record.events.iter().enumerate() {
            let position = position as u32;
            if position < draft.begin || draft.is_cut(position) {
                continue;
            }
            match event.action {
                Action::AcquireTimeout(_)
                | Action::Wake(true)
                | Action::Park(true)
                | Action::Await
                | Action::Sleep
                | Action::FutexWait(true)
                | Action::WaitOver(_) => {
                    draft.cuts.timeouts += 1;
                    draft.cut(position);
                }
                Action::LaneEnd => draft.cut(position),
                _ => {}
            }
        }
        draft.find_relevant();
        draft
    }

    fn find_relevant(&mut self) {
        let mut users: Vec<(ThreadSet, bool)> =
            vec![(ThreadSet::EMPTY, false); self.record.objects.len()];
        let joined = self.record.events.iter().rposition(|event| {
            event.thread == ThreadIndex::MAIN && matches!(event.action, Action::Join(_))
        });
        let alone_again = joined.map_or(u32::MAX, |joined| joined as u32);
        for (position, event) in self.record.events.iter().enumerate() {
            let position = position as u32;
            if event.thread == ThreadIndex::MAIN && position > alone_again {
                self.cut(position);
            }
            for (object, _) in kinds(event).into_iter().flatten() {
                if object == ObjectId::NONE {
                    continue;
                }
                let index = object.0 as usize;
                self.uses[index].push(position);
                if position >= self.begin && !self.is_cut(position) {
                    users[index].0.insert(event.thread);
                    users[index].1 |= changes(event);
                }
            }
        }
        for (relevant, (threads, changed)) in self.relevant.iter_mut().zip(users) {
            *relevant = changed && threads.has_several();
        }
    }

    /// Positions of the modelled events before any window is chosen, in order. The main thread's creations and joins
    /// count only if it does something else beside the others: a thread that is planned for is started in any case.
    pub(super) fn relevant_positions(&self, plain: &PlainSteps<'_>) -> Vec<u32> {
        let shared = |event: &Event| {
            let mut objects = kinds(event).into_iter().flatten();
            objects.any(|(object, _)| object != ObjectId::NONE && self.relevant[object.0 as usize])
        };
        let in_part = |position: usize| self.is_modelled(position as u32);
        let events = || self.record.events.iter().enumerate();
        let main = events().any(|(position, event)| {
            event.thread == ThreadIndex::MAIN
                && in_part(position)
                && (shared(event) || !plain.bound_to(position as u32).is_empty())
        });
        let is_step = |event: &Event| match event.action {
            Action::Spawn(_) | Action::Join(_) => main || event.thread != ThreadIndex::MAIN,
            Action::Begin | Action::End => {
                event.thread != ThreadIndex::MAIN && self.started_by_step(event.thread, main)
            }
            _ => shared(event) && (main || event.thread != ThreadIndex::MAIN),
        };
        events()
            .filter(|(position, event)| {
                let has_plain = (main || event.thread != ThreadIndex::MAIN)
                    && !plain.bound_to(*position as u32).is_empty();
                in_part(*position) && (is_step(event) || has_plain)
            })
            .map(|(position, _)| position as u32)
            .collect()
    }

    fn started_by_step(&self, thread: ThreadIndex, main: bool) -> bool {
        main || self.record.events.iter().any(|event| {
            event.thread != ThreadIndex::MAIN && matches!(event.action, Action::Spawn(child) | Action::Join(child) if child == thread)
        })
    }

    /// Finds the rules of all objects, and those of creation and joining.
    pub(super) fn find_rules(&mut self, values: &Values) {
        for index in 0..self.uses.len() {
            if !self.relevant[index] {
                continue;
            }
            let object = ObjectId(index as u32);
            let shown = self.uses[index]
                .iter()
                .flat_map(|&position| kinds(self.event(position)));
            let mut its: Vec<Kind> = shown
                .flatten()
                .filter(|(of, _)| *of == object)
                .map(|(_, kind)| kind)
                .collect();
            its.dedup();
            match its.as_slice() {
                [Kind::Value] if !values.is_opaque(object) => {}
                [Kind::Lock] => self.lock_rules(object),
                [Kind::Condvar] => self.condvar_rules(object),
                [Kind::Token] => self.token_rules(object),
                [Kind::Once] => self.once_rules(object),
                [Kind::Barrier] => self.barrier_rules(object),
                [Kind::Channel] => self.channel_rules(object),
                // Futex queues, values that do not add up, memory that was one thing and then another.
                _ => self.fixed_rules(object),
            }
        }
        self.creation_rules();
    }

    fn creation_rules(&mut self) {
        let count = usize::from(self.record.threads);
        let mut first = vec![None; count];
        let mut last = vec![None; count];
        for (position, event) in self.record.events.iter().enumerate() {
            let thread = event.thread.index();
            first[thread].get_or_insert(position as u32);
            last[thread] = Some(position as u32);
        }
        for (position, event) in self.record.events.iter().enumerate() {
            let position = position as u32;
            match event.action {
                Action::Spawn(child) => {
                    if let Some(&Some(begin)) = first.get(child.index()) {
                        self.need(begin, position);
                    }
                }
                Action::Join(child) => {
                    if let Some(&Some(end)) = last.get(child.index()) {
                        self.need(position, end);
                    }
                }
                _ => {}
            }
        }
    }
}

/// The event changes its objects.
fn changes(event: &Event) -> bool {
    !matches!(
        event.action,
        Action::Load(_)
            | Action::CasFail(_)
            | Action::PlainRead
            | Action::Acquire(LockMode::Read)
            | Action::TryAcquire(LockMode::Read, true)
            | Action::Release(LockMode::Read, _)
            | Action::OncePeek(_)
            | Action::OnceBegin(false)
    )
}
