//! `pass/data-structures`: a stack and a queue of nodes that pointers link.

use std::ptr::{from_ref, null_mut};
use std::sync::Arc;

use contest::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use contest::sync::atomic::{AtomicPtr, AtomicU64};
use contest::thread;

use super::{Failed, assume, executions};

struct Node {
    value: AtomicU64,
    next: AtomicPtr<Node>,
}

/// The nodes live as long as the structure, so that following a pointer is a look into them.
struct Linked {
    nodes: Vec<Node>,
    head: AtomicPtr<Node>,
    tail: AtomicPtr<Node>,
    /// Rounds that only read are assumptions that fail.
    assumes: bool,
    failed: Failed,
}

impl Linked {
    fn new(writers: usize, assumes: bool, failed: &Failed) -> Arc<Self> {
        let node = |_| Node {
            value: AtomicU64::new(0),
            next: AtomicPtr::new(null_mut()),
        };
        Arc::new(Self {
            nodes: (0..=writers).map(node).collect(),
            head: AtomicPtr::new(null_mut()),
            tail: AtomicPtr::new(null_mut()),
            assumes,
            failed: failed.clone(),
        })
    }

    fn at(&self, pointer: *mut Node) -> &Node {
        let mut nodes = self.nodes.iter();
        nodes.find(|node| std::ptr::eq(*node, pointer)).unwrap()
    }

    fn again(&self) -> Option<()> {
        assume(!self.assumes, &self.failed)
    }

    fn push(&self, own: usize) -> Option<()> {
        let node = &self.nodes[own];
        node.value.store(own as u64, Relaxed);
        loop {
            let top = self.head.load(Acquire);
            node.next.store(top, Relaxed);
            let new = from_ref(node).cast_mut();
            if self
                .head
                .compare_exchange(top, new, Release, Relaxed)
                .is_ok()
            {
                return Some(());
            }
            self.again()?;
        }
    }

    fn pop(&self) -> Option<u64> {
        loop {
            let top = self.head.load(Acquire);
            if top.is_null() {
                return Some(0);
            }
            let next = self.at(top).next.load(Relaxed);
            if self
                .head
                .compare_exchange(top, next, Release, Relaxed)
                .is_ok()
            {
                return Some(self.at(top).value.load(Relaxed));
            }
            self.again()?;
        }
    }

    fn enqueue(&self, own: usize) -> Option<()> {
        let node = &self.nodes[own];
        node.value.store(own as u64, Relaxed);
        let new = from_ref(node).cast_mut();
        let last = loop {
            let tail = self.tail.load(Acquire);
            let next = self.at(tail).next.load(Acquire);
            if tail != self.tail.load(Acquire) {
                self.again()?;
                continue;
            }
            if !next.is_null() {
                let _ = self.tail.compare_exchange(tail, next, Release, Relaxed);
            } else if self
                .at(tail)
                .next
                .compare_exchange(next, new, Release, Relaxed)
                .is_ok()
            {
                break tail;
            }
        };
        let _ = self.tail.compare_exchange(last, new, Release, Relaxed);
        Some(())
    }

    fn dequeue(&self) -> Option<u64> {
        loop {
            let head = self.head.load(Acquire);
            let tail = self.tail.load(Acquire);
            let next = self.at(head).next.load(Acquire);
            if head != self.head.load(Acquire) {
                self.again()?;
                continue;
            }
            if head != tail {
                let value = self.at(next).value.load(Relaxed);
                if self
                    .head
                    .compare_exchange(head, next, Release, Relaxed)
                    .is_ok()
                {
                    return Some(value);
                }
                self.again()?;
            } else if next.is_null() {
                return Some(0);
            } else {
                let _ = self.tail.compare_exchange(tail, next, Release, Relaxed);
            }
        }
    }
}

/// One thread takes, the others put.
fn counted(
    writers: usize,
    assumes: bool,
    begin: fn(&Linked),
    take: fn(&Linked) -> Option<u64>,
    put: fn(&Linked, usize) -> Option<()>,
) -> (u64, u64) {
    executions(|failed| {
        let linked = Linked::new(writers, assumes, failed);
        begin(&linked);
        let theirs = linked.clone();
        let reader = thread::spawn(move || take(&theirs));
        let writers: Vec<_> = (1..=writers)
            .map(|own| {
                let linked = linked.clone();
                thread::spawn(move || put(&linked, own))
            })
            .collect();
        let taken = reader.join().unwrap();
        assert!(taken.is_none_or(|taken| taken <= writers.len() as u64));
        for writer in writers {
            writer.join().unwrap();
        }
    })
}

fn stack(writers: usize, assumes: bool) -> (u64, u64) {
    counted(writers, assumes, |_| (), Linked::pop, Linked::push)
}

fn queue(writers: usize, assumes: bool) -> (u64, u64) {
    let begin = |linked: &Linked| {
        let dummy = from_ref(&linked.nodes[0]).cast_mut();
        linked.head.store(dummy, Relaxed);
        linked.tail.store(dummy, Relaxed);
    };
    counted(writers, assumes, begin, Linked::dequeue, Linked::enqueue)
}

#[test]
fn a_stack_of_nodes() {
    assert_eq!(stack(1, false), (2, 0));
    assert_eq!(stack(2, false), (22, 0));
    assert_eq!(stack(3, false), (1002, 0));
}

#[test]
fn a_stack_of_nodes_whose_rounds_are_not_repeated() {
    assert_eq!(stack(1, true).0, 2);
    assert_eq!(stack(2, true).0, 8);
    assert_eq!(stack(3, true).0, 36);
}

#[test]
fn a_queue_of_nodes() {
    assert_eq!(queue(1, false), (4, 0));
    assert_eq!(queue(2, false), (188, 0));
}

#[test]
fn a_queue_of_nodes_whose_rounds_are_not_repeated() {
    assert_eq!(queue(1, true).0, 4);
    assert_eq!(queue(2, true).0, 128);
}
