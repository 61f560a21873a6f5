//! Queues for several producers and consumers. A round that fails has only read, so it is not tried again, and an
//! execution with it is not counted; those of `enqueue` are counted there.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use super::{Memory, Row, Rows, threads};

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Rows::new("data-structures");
    let one_more = super::thread(write);
    rows.begun(
        "mpmc-queue",
        (3, 3),
        vec![one_more],
        threads! {
            |m| { write(m)?; }
            |m| { while fetched(m)? { m.y.addr(1); } }
        },
    );
    let dummy = super::thread(|m| {
        m.x.w(1);
        m.y.w(1);
        m.array[2].w(POISON);
        m.array[6].w(POISON);
        Some(())
    });
    let uses = |node: i32| threads! { |m| { enqueue(m, node)?; dequeue(m)?; } };
    let both = uses(2).into_iter().chain(uses(6)).collect();
    rows.begun("ms-queue", (50, 50), vec![dummy], both);
    rows.rows
}

/// A ring of four places: x counts reads and writes that have begun, y and z reads and writes that are over.
const BEGUN: i32 = 1 << 8;
const PLACES: i32 = 4;

/// What has begun before this, `Some(None)` if there is nothing to do, because all places are like that.
fn begins(m: &Memory, one: i32, all: fn(i32, i32) -> bool) -> Option<Option<(i32, i32)>> {
    let begun = m.x.ra();
    let (read, written) = (begun / BEGUN, begun % BEGUN);
    if all(read, written) {
        return Some(None);
    }
    let exchanged = m.x.exchange(begun, begun + one, AcqRel, Acquire);
    m.assume(exchanged.is_ok())?;
    Some(Some((read, written)))
}

fn write(m: &Memory) -> Option<()> {
    let full = |read, written| written == read + PLACES;
    if let Some((read, written)) = begins(m, 1, full)? {
        m.assume(m.y.ra() == read)?;
        m.array[(written % PLACES) as usize].w(1);
        m.z.addr(1);
    }
    Some(())
}

fn fetched(m: &Memory) -> Option<bool> {
    let begun = begins(m, BEGUN, |read, written| written == read)?;
    if let Some((_, written)) = begun {
        m.assume(m.z.ra() == written)?;
    }
    Some(begun.is_some())
}

/// A node with the number of changes: the queue of Michael and Scott; head x, tail y, links in the array.
const COUNT: i32 = 100;
const POISON: i32 = 99;

fn node(pointer: i32) -> i32 {
    pointer % COUNT
}

/// The node, with one change more than `before`.
fn to(node: i32, before: i32) -> i32 {
    (before / COUNT + 1) * COUNT + node
}

fn enqueue(m: &Memory, own: i32) -> Option<()> {
    let link = |of: i32| &m.array[node(of) as usize];
    let old = link(own).r();
    link(own).w(old / COUNT * COUNT);
    let last = loop {
        let tail = m.y.ra();
        let next = link(tail).ra();
        if tail != m.y.r() {
            continue;
        }
        assert_ne!(node(next), POISON);
        let linked =
            node(next) == 0 && (link(tail).exchange(next, to(own, next), Release, Relaxed)).is_ok();
        if linked {
            break tail;
        }
        let next = node(link(tail).ra());
        let _ = m.y.exchange(tail, to(next, tail), Release, Relaxed);
    };
    let _ = m.y.exchange(last, to(own, last), Release, Relaxed);
    Some(())
}

fn dequeue(m: &Memory) -> Option<()> {
    loop {
        let head = m.x.ra();
        let tail = m.y.ra();
        let next = m.array[node(head) as usize].ra();
        m.assume(head == m.x.r())?;
        if node(head) != node(tail) {
            let taken = m.x.exchange(head, to(node(next), head), Release, Relaxed);
            return m.assume(taken.is_ok());
        }
        assert_ne!(node(next), POISON);
        if node(next) == 0 {
            return Some(());
        }
        let moved = m.y.exchange(tail, to(node(next), tail), Release, Relaxed);
        m.assume(moved.is_ok())?;
    }
}
