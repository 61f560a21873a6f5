//! Numbers of execution graphs, held against those that GenMC publishes for its own tests.
//!
//! From `tests/correct/litmus` and `tests/correct/synthetic` of GenMC (github.com/MPI-SWS/genmc): the programs by their
//! shape, the numbers of its files `expected.rc11.mo.in`. Events that do not change the number (a dependency, an
//! assertion) are left out. Message passing is there with a conditional second read, here without, so its numbers are
//! our own.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};

use contest_data::limits::MemoryModel;
use contest_search::explore::{Budget, Explorer};

use crate::program::{Op, Op::C, Op::F, Op::R, Op::U, Op::W, Program, explore_with};

const X: usize = 0;
const Y: usize = 1;

fn graphs(program: &Program) -> usize {
    let budget = Budget::executions(1_000_000);
    let explorer = Explorer::weak("dpor", 1, budget).unwrap();
    let explored = explore_with(program, MemoryModel::Rc11, explorer);
    assert!(explored.exhausted, "{program:?}: {:?}", explored.cut);
    assert_eq!(
        explored.executions,
        explored.graphs.len(),
        "{program:?}: some graph twice"
    );
    explored.executions
}

/// Checks the number for the threads in this order and in the reverse one.
#[track_caller]
fn check(name: &str, threads: &[&[Op]], expected: usize) {
    let mut program: Program = threads.iter().map(|thread| thread.to_vec()).collect();
    assert_eq!(graphs(&program), expected, "{name}");
    program.reverse();
    assert_eq!(graphs(&program), expected, "{name}, threads reversed");
}

fn w(at: usize) -> Op {
    W(at, 1, Relaxed)
}

fn r(at: usize) -> Op {
    R(at, Relaxed)
}

#[test]
fn store_buffering() {
    check("SB", &[&[w(X), r(Y)], &[w(Y), r(X)]], 4);
    let sc = |at| (W(at, 1, SeqCst), R(at, SeqCst));
    let ((wx, rx), (wy, ry)) = (sc(X), sc(Y));
    check("SB+4sc", &[&[wx, ry], &[wy, rx]], 3);
    check("SB+3sc+acq", &[&[wx, ry], &[wy, R(X, Acquire)]], 4);
    check("SB+3sc+rel", &[&[wx, ry], &[W(Y, 1, Release), rx]], 4);
    let fence = F(SeqCst);
    check("SB+scfs", &[&[w(X), fence, r(Y)], &[w(Y), fence, r(X)]], 3);
    check("SB+2sc+scf", &[&[wx, ry], &[w(Y), fence, r(X)]], 3);
    check("SB+rfis", &[&[w(X), r(X), r(Y)], &[w(Y), r(Y), r(X)]], 4);
}

#[test]
fn message_passing() {
    check("MP", &[&[w(X), w(Y)], &[R(Y, Acquire), R(X, Acquire)]], 4);
    let (release, acquire) = (W(Y, 1, Release), R(Y, Acquire));
    check("MP, both orders", &[&[w(X), release], &[acquire, r(X)]], 3);
    let (released, acquired) = (F(Release), F(Acquire));
    check(
        "MP, fences",
        &[&[w(X), released, w(Y)], &[r(Y), acquired, r(X)]],
        3,
    );
    check(
        "MP, one fence",
        &[&[w(X), released, w(Y)], &[acquire, r(X)]],
        3,
    );
    check("MP, no acquire", &[&[w(X), release], &[r(Y), r(X)]], 4);
}

#[test]
fn load_buffering_is_not_there() {
    check("LB", &[&[r(X), w(Y)], &[r(Y), w(X)]], 3);
    check(
        "LB+acq",
        &[&[R(X, Acquire), w(Y)], &[R(Y, Acquire), w(X)]],
        3,
    );
    check(
        "LB+rel",
        &[&[r(X), W(Y, 1, Release)], &[r(Y), W(X, 1, Release)]],
        3,
    );
}

#[test]
fn two_writes_to_two_locations() {
    let (x1, y1) = (W(X, 1, Relaxed), W(Y, 1, Relaxed));
    let (x2, y2) = (W(X, 2, Relaxed), W(Y, 2, Relaxed));
    check("2+2W", &[&[x1, y2], &[y1, x2]], 4);
    let sc = |at, value| W(at, value, SeqCst);
    check(
        "2+2W+4sc",
        &[&[sc(X, 1), sc(Y, 2)], &[sc(Y, 1), sc(X, 2)]],
        3,
    );
    check(
        "2+2W+3sc+rel1",
        &[&[sc(X, 1), sc(Y, 2)], &[sc(Y, 1), W(X, 2, Release)]],
        4,
    );
    check(
        "2+2W+3sc+rel2",
        &[&[sc(X, 1), sc(Y, 2)], &[W(Y, 1, Release), sc(X, 2)]],
        4,
    );
    let fence = F(SeqCst);
    check("2+2W+scfs", &[&[x1, fence, y2], &[y1, fence, x2]], 3);
    check(
        "2+2W+2sc+scf",
        &[&[sc(X, 1), sc(Y, 2)], &[y1, fence, x2]],
        3,
    );
    check("S", &[&[x2, y1], &[r(Y), x1]], 4);
}

#[test]
fn coherence() {
    check("CoRW", &[&[r(X), W(X, 1, Relaxed)], &[W(X, 2, Relaxed)]], 3);
    check("CoWR", &[&[W(X, 1, Relaxed), r(X)], &[W(X, 2, Relaxed)]], 3);
    check(
        "2CoWR",
        &[&[W(X, 1, Relaxed), r(X)], &[W(X, 2, Relaxed), r(X)]],
        4,
    );
    check("CoRR0", &[&[W(X, 1, Relaxed)], &[r(X)], &[r(X)]], 4);
    check(
        "CoRR",
        &[&[W(X, 1, Relaxed), W(X, 2, Relaxed)], &[r(X), r(X)]],
        6,
    );
}

#[test]
fn coherence_of_several_readers() {
    let (w1, w2, w3) = (W(X, 1, Relaxed), W(X, 2, Relaxed), W(X, 3, Relaxed));
    let reads: &[Op] = &[r(X), r(X)];
    check("CoRR1", &[&[w1, w2], reads, reads], 36);
    check("CoRR2", &[&[w1], &[w2], reads, reads], 72);
    check("W+RRR+W", &[&[w1], &[r(X), r(X), r(X)], &[w2]], 20);
    check(
        "fr+w+w+w+reads",
        &[&[w1], &[w2], &[w3], &[r(X), r(X), r(X), r(X)]],
        210,
    );
    let add: &[Op] = &[U(X, 1, Relaxed)];
    check("inc+inc+RR+W+RR", &[add, add, reads, &[w2], reads], 600);
    let writers = [W(X, 1, Relaxed); 6];
    let threads: Vec<&[Op]> = writers.iter().map(std::slice::from_ref).collect();
    check("N-writers(6)", &threads, 720);
}

#[test]
fn three_and_four_threads() {
    const Z: usize = 2;
    check("LB3", &[&[r(X), w(Y)], &[r(Y), w(Z)], &[r(Z), w(X)]], 7);
    let (rel, acq) = (|at| W(at, 1, Release), |at| R(at, Acquire));
    check(
        "isa2",
        &[&[w(X), rel(Y)], &[acq(Y), rel(Z)], &[acq(Z), r(X)]],
        7,
    );
    let (wsc, rsc) = (|at| W(at, 1, SeqCst), |at| R(at, SeqCst));
    check(
        "IRIW-acq-sc",
        &[&[wsc(X)], &[acq(X), rsc(Y)], &[acq(Y), rsc(X)], &[wsc(Y)]],
        16,
    );
    let fence = F(SeqCst);
    check(
        "RWC+syncs",
        &[&[w(X)], &[r(X), fence, r(Y)], &[w(Y), fence, r(X)]],
        7,
    );
}

/// One number for each number of threads.
fn check_series(name: &str, expected: &[usize], threads: impl Fn(usize) -> Vec<Vec<Op>>) {
    for (at, &expected) in expected.iter().enumerate() {
        let program = threads(at + 2);
        assert_eq!(graphs(&program), expected, "{name}({})", at + 2);
    }
}

#[test]
fn series_of_read_modify_writes() {
    // Each thread adds 1 to one counter: all orders.
    check_series("ainc", &[2, 6, 24, 120, 720], |n| {
        vec![vec![U(X, 1, Relaxed)]; n]
    });
    // Each thread adds without being atomic.
    check_series("inc", &[4, 36], |n| {
        let threads = 1..=n as u32;
        threads
            .map(|value| vec![r(X), W(X, value, Relaxed)])
            .collect()
    });
    // Each thread tries to be the first.
    check_series("cas", &[2, 3, 4, 5], |n| {
        let threads = 1..=n as u32;
        threads
            .map(|value| vec![C(X, 0, value, AcqRel, Relaxed)])
            .collect()
    });
    // Thread n takes what thread n-1 left.
    check_series("casrot", &[2, 5, 14, 43, 144], |n| {
        let threads = 0..n as u32;
        threads
            .map(|value| vec![C(X, value, value + 1, AcqRel, Relaxed)])
            .collect()
    });
}
