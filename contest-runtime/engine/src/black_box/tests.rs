use contest_data::delay::DelayPoint;
use contest_data::protocol::black_box::PANIC_BYTES;
use contest_data::protocol::black_box::{
    BlackBox, BlackBoxContents, DECISIONS, Death, SIZE, encode,
};
use contest_data::trace::{Decision, Home, Schedule};

use super::*;

fn parse(bytes: &[u8]) -> Option<BlackBoxContents> {
    BlackBox::parse(bytes).ok()
}

/// One test, because the mapping is one per process.
#[test]
fn what_a_driver_writes_is_what_the_tool_reads() {
    let memory = vec![0u64; SIZE / 8].leak();
    let bytes = || {
        // SAFETY: the leaked vector, written only through atomics by this thread.
        unsafe { std::slice::from_raw_parts(memory.as_ptr().cast::<u8>(), SIZE) }
    };
    assert_eq!(parse(bytes()), None, "nothing is written yet");
    decision(1, 0);

    // SAFETY: leaked, aligned, of that size.
    unsafe { attach(memory.as_ptr().cast_mut().cast()) };
    assert_eq!(parse(bytes()), Some(BlackBoxContents::default()));

    phase(Phase::Exploring);
    test(7, r#"{"subject":3}"#);
    begun(1, 4);
    begun(1, 3);
    over(6, false);
    over(7, true);
    finding();
    let seen = VisibleBytes {
        home: Home::Statics,
        offset: 4,
        size: 8,
    };
    visible(&[seen]);
    execution_begin();
    execution_is(
        true,
        Leeway {
            early_ends: 1,
            rounds: 8,
            draw: 300,
            delay: Some(Delay::at(DelayPoint::Reading(7))),
        },
    );
    work(900);
    decision(encode(Decision::Thread(2)), 9);
    decision(encode(Decision::Value(1)), 0);
    panic(format_args!("left == {}", "right"));
    panic(format_args!("again at {}", "src/lib.rs:1:2"));
    let running = parse(bytes()).unwrap();
    let expected = BlackBoxContents {
        heartbeat: 3,
        phase: Phase::Exploring,
        executions: 1,
        work: 900,
        in_execution: true,
        begun: vec![0, 4],
        over: vec![(6, false), (7, true)],
        findings: 1,
        test_number: 7,
        test: Some(r#"{"subject":3}"#.into()),
        schedule: Schedule {
            decisions: vec![Decision::Thread(2), Decision::Value(1)],
            checks: vec![9, 0],
            visible: vec![seen],
            memory_model: contest_data::limits::MemoryModel::Rc11,
            leeway: Leeway {
                early_ends: 1,
                rounds: 8,
                draw: 300,
                delay: Some(Delay::at(DelayPoint::Reading(7))),
            },
        },
        decisions_made: 2,
        panic: Some("again at src/lib.rs:1:2".into()),
        death: None,
    };
    assert_eq!(running, expected);

    execution_end();
    execution_begin();
    let next = parse(bytes()).unwrap();
    assert_eq!((next.decisions_made, next.panic), (0, None));
    for _ in 0..DECISIONS + 5 {
        decision(0, 0);
    }
    let long = parse(bytes()).unwrap();
    assert_eq!(long.schedule.decisions.len(), DECISIONS);
    assert_eq!(long.decisions_made as usize, DECISIONS + 5);

    test(8, &"x".repeat(TEST_BYTES + 1));
    assert_eq!(
        parse(bytes()).unwrap().test,
        None,
        "too long to be stored whole"
    );
    panic(format_args!("{}", "é".repeat(PANIC_BYTES)));
    assert_eq!(parse(bytes()).unwrap().panic.unwrap().len(), PANIC_BYTES);

    memory_limit(1 << 30);
    death(DeathKind::Abort, 6, true);
    death_detail(format_args!("frame {}", 1));
    death(DeathKind::Hung, 14, false);
    assert_eq!(
        parse(bytes()).unwrap().death,
        Some(Death {
            kind: DeathKind::MemoryLimit,
            signal: 6,
            in_user_code: true,
            details: "limit: 1073741824 bytes in one execution\nframe 1".into(),
        })
    );
}
