//! The driver process for real: this executable starts itself with a scenario, which runs isolated executions or dies
//! on purpose, and looks at what came out.

mod addresses;
mod blocks;
mod child;
mod controlled;
mod cost;
mod deaths;
mod final_states;
mod interrupts;
mod put_back;
mod scenarios;
mod states;
mod watched;

use child::Child;
use contest_data::protocol::black_box::{DeathKind, Phase};
use libtest_mimic::{Arguments, Failed, Trial};

contest_driver::driver_symbols!();

fn main() {
    if let Ok(name) = std::env::var(child::SCENARIO_VARIABLE) {
        scenarios::run(&name);
    }
    let trials = TESTS.iter().map(|(name, test)| {
        let test = *test;
        Trial::test(*name, move || {
            test();
            Ok::<(), Failed>(())
        })
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}

macro_rules! tests {
    ($($name:ident)*) => {
        const TESTS: &[(&str, fn())] = &[$((stringify!($name), $name)),*];
    };
}

tests! {
    two_processes_allocate_at_the_same_addresses
    every_execution_allocates_at_the_same_addresses
    addresses_do_not_depend_on_other_threads
    hash_maps_have_the_same_order_in_every_execution_and_process
    statics_and_thread_locals_are_put_back
    memory_of_the_startup_is_put_back_and_survives_being_freed
    environment_variables_are_put_back
    the_directory_and_handlers_of_signals_are_put_back
    either_side_frees_what_the_other_allocated
    freed_blocks_are_reused_last_first_and_fresh_memory_is_zero
    unreachable_blocks_are_reported_with_their_sizes
    states_are_equal_only_where_calls_find_the_same
    final_states_that_are_known_are_not_observed_again_and_nothing_is_overlooked
    nothing_is_overlooked_where_dpor_does_not_observe_final_states_again
    leaking_ten_megabytes_per_execution_keeps_memory_flat
    random_bytes_start_again_in_every_execution
    output_of_code_under_test_goes_nowhere_and_its_input_is_empty
    output_of_code_under_test_is_shown_on_demand
    a_stack_overflow_is_recorded
    an_abort_is_recorded_with_the_panic_that_led_to_it
    a_panic_in_a_c_function_is_recorded
    a_null_pointer_is_recorded
    a_wild_pointer_is_recorded
    an_exit_is_recorded
    an_endless_loop_is_recorded_when_the_watchdog_rings
    reaching_the_memory_limit_is_recorded
    the_limit_hook_may_leave_the_execution
    a_request_beyond_any_machine_is_an_ordinary_failure
    time_inside_an_execution_is_virtual_and_the_same_every_time
    time_outside_an_execution_is_real
    mutexes_of_uninstrumented_code_are_scheduled_at_the_futex
    a_deadlock_of_uninstrumented_mutexes_ends_the_execution
    a_futex_wait_times_out_in_virtual_time
    a_signal_ends_the_wait_of_the_only_thread_that_waits_for_a_descriptor
    the_memory_limit_ends_the_execution_and_the_next_one_is_clean
    unfinished_executions_leave_nothing_behind
    an_execution_is_the_same_watched_or_not
    atomics_are_counted_afresh_in_every_execution
    what_the_engine_keeps_at_a_fence_is_no_memory_of_code_under_test
    a_stack_overflow_of_a_virtual_thread_is_recorded_with_its_schedule
    panics_of_code_under_test_are_recorded_by_engine_and_black_box
}

fn an_execution_is_the_same_watched_or_not() {
    Child::of("watched").run_ok();
}

fn atomics_are_counted_afresh_in_every_execution() {
    Child::of("counted").run_ok();
}

fn what_the_engine_keeps_at_a_fence_is_no_memory_of_code_under_test() {
    Child::of("fence").run_ok();
}

fn final_states_that_are_known_are_not_observed_again_and_nothing_is_overlooked() {
    Child::of("final_states").run_ok();
}

// In another process: the two are the longest of these tests.
fn nothing_is_overlooked_where_dpor_does_not_observe_final_states_again() {
    Child::of("final_states_dpor").run_ok();
}

fn unreachable_blocks_are_reported_with_their_sizes() {
    Child::of("unowned").run_ok();
}

fn two_processes_allocate_at_the_same_addresses() {
    let first = Child::of("addresses").run();
    let second = Child::of("addresses")
        .env("SOMETHING", "that makes the environment longer")
        .run();
    assert!(first.lines.len() > 10, "{first:?}");
    assert!(first.lines[0].contains("0x6000"), "{first:?}");
    assert_eq!(first.lines, second.lines);
}

fn every_execution_allocates_at_the_same_addresses() {
    Child::of("addresses_repeat").run_ok();
}

fn addresses_do_not_depend_on_other_threads() {
    Child::of("own_addresses").run_ok();
}

fn hash_maps_have_the_same_order_in_every_execution_and_process() {
    let first = Child::of("hash_order").run();
    assert_eq!(first.lines.len(), 5);
    assert!(
        first.lines.iter().all(|line| *line == first.lines[0]),
        "{first:?}"
    );
    assert_eq!(first.lines, Child::of("hash_order").run().lines);
}

fn statics_and_thread_locals_are_put_back() {
    Child::of("statics").run_ok();
}

fn memory_of_the_startup_is_put_back_and_survives_being_freed() {
    Child::of("startup_heap").run_ok();
}

fn the_directory_and_handlers_of_signals_are_put_back() {
    Child::of("process_state").run_ok();
}

fn environment_variables_are_put_back() {
    Child::of("environment").run_ok();
}

fn either_side_frees_what_the_other_allocated() {
    Child::of("both_sides").run_ok();
}

fn freed_blocks_are_reused_last_first_and_fresh_memory_is_zero() {
    Child::of("reuse").run_ok();
}

fn states_are_equal_only_where_calls_find_the_same() {
    Child::of("states").run_ok();
}

fn leaking_ten_megabytes_per_execution_keeps_memory_flat() {
    Child::of("leak").run_ok();
}

fn random_bytes_start_again_in_every_execution() {
    let first = Child::of("random").run();
    assert_eq!(first.lines.len(), 3);
    assert!(
        first.lines.iter().all(|line| *line == first.lines[0]),
        "{first:?}"
    );
    assert_eq!(first.lines, Child::of("random").run().lines);
}

fn output_of_code_under_test_goes_nowhere_and_its_input_is_empty() {
    let child = Child::of("chatter")
        .input("not for the code under test\n")
        .run();
    assert_eq!(child.lines, ["read 0 bytes", "done"]);
    assert_eq!(child.stderr, "");
}

fn output_of_code_under_test_is_shown_on_demand() {
    let child = Child::of("chatter").env("CONTEST_SHOW_OUTPUT", "1").run();
    assert_eq!(child.lines, ["read 0 bytes", "done"]);
    assert!(child.stderr.contains("chatter on stdout"), "{child:?}");
    assert!(child.stderr.contains("chatter on stderr"), "{child:?}");
}

fn a_stack_overflow_is_recorded() {
    let child = Child::of("stack_overflow").run();
    assert_eq!(child.signal, Some(libc::SIGSEGV));
    let death = child.death();
    assert_eq!(
        (death.kind, death.in_user_code),
        (DeathKind::StackOverflow, true)
    );
    assert!(
        death
            .details
            .starts_with("wall::deaths::endless_recursion at "),
        "{death:?}"
    );
    assert!(death.details.contains(" more like this)"), "{death:?}");
    assert_eq!(child.black_box.phase, Phase::Exploring);
    assert_eq!(
        (child.black_box.executions, child.black_box.in_execution),
        (2, true)
    );
    assert_eq!(child.black_box.test_number, 17);
    assert_eq!(child.black_box.test.as_deref(), Some(r#"{"test":17}"#));
}

fn an_abort_is_recorded_with_the_panic_that_led_to_it() {
    let child = Child::of("double_panic").run();
    assert_eq!(child.signal, Some(libc::SIGABRT));
    let death = child.death();
    assert_eq!((death.kind, death.in_user_code), (DeathKind::Abort, true));
    let panic = child.black_box.panic.unwrap();
    assert!(
        panic.starts_with("the second at ") && panic.contains("deaths.rs:"),
        "{panic}"
    );
}

fn a_panic_in_a_c_function_is_recorded() {
    let child = Child::of("c_panic").run();
    assert_eq!(child.death().kind, DeathKind::Abort);
    let panic = child.black_box.panic.unwrap();
    assert!(panic.starts_with("through C at "), "{panic}");
}

fn a_null_pointer_is_recorded() {
    let child = Child::of("null").run();
    assert_eq!(child.signal, Some(libc::SIGSEGV));
    assert_eq!(child.death().kind, DeathKind::NullPointer);
}

fn a_wild_pointer_is_recorded() {
    let child = Child::of("wild").run();
    assert_eq!(child.signal, Some(libc::SIGSEGV));
    assert_eq!(child.death().kind, DeathKind::BadAddress);
}

fn an_exit_is_recorded() {
    let child = Child::of("exit").run();
    assert_eq!(child.status, Some(3));
    assert_eq!(
        (child.death().kind, child.death().in_user_code),
        (DeathKind::Exit, true)
    );
}

fn an_endless_loop_is_recorded_when_the_watchdog_rings() {
    let child = Child::of("endless_loop").run_until_in_execution_then(libc::SIGALRM);
    assert_eq!(child.signal, Some(libc::SIGALRM));
    let death = child.death();
    assert_eq!((death.kind, death.in_user_code), (DeathKind::Hung, true));
    assert!(death.details.contains("endless_loop at "), "{death:?}");
}

fn reaching_the_memory_limit_is_recorded() {
    let child = Child::of("memory_limit").run();
    assert_eq!(child.signal, Some(libc::SIGABRT));
    let death = child.death();
    assert_eq!(death.kind, DeathKind::MemoryLimit);
    assert!(
        death.details.starts_with("limit: 67108864 bytes"),
        "{death:?}"
    );
}

fn the_limit_hook_may_leave_the_execution() {
    let child = Child::of("limit_hook").run();
    assert_eq!(child.lines, ["limit 67108864"]);
    assert_eq!(child.status, Some(5));
}

fn a_request_beyond_any_machine_is_an_ordinary_failure() {
    Child::of("absurd_request").run_ok();
}

fn time_inside_an_execution_is_virtual_and_the_same_every_time() {
    let first = Child::of("virtual_time").run();
    assert_eq!(first.lines.len(), 4);
    assert!(
        first.lines.iter().all(|line| *line == first.lines[0]),
        "{first:?}"
    );
    assert!(first.lines[0].contains("2024-05-15 + 3600 s"), "{first:?}");
    assert_eq!(first.lines, Child::of("virtual_time").run().lines);
}

fn time_outside_an_execution_is_real() {
    Child::of("real_time").run_ok();
}

fn mutexes_of_uninstrumented_code_are_scheduled_at_the_futex() {
    Child::of("futex_mutex").run_ok();
}

fn a_deadlock_of_uninstrumented_mutexes_ends_the_execution() {
    Child::of("futex_deadlock").run_ok();
}

fn a_futex_wait_times_out_in_virtual_time() {
    Child::of("futex_timeout").run_ok();
}

fn a_signal_ends_the_wait_of_the_only_thread_that_waits_for_a_descriptor() {
    Child::of("interrupts").run_ok();
}

fn the_memory_limit_ends_the_execution_and_the_next_one_is_clean() {
    Child::of("controlled_limit").run_ok();
}

fn unfinished_executions_leave_nothing_behind() {
    Child::of("unfinished").run_ok();
}

fn a_stack_overflow_of_a_virtual_thread_is_recorded_with_its_schedule() {
    let child = Child::of("controlled_overflow").run();
    assert_eq!(child.signal, Some(libc::SIGSEGV));
    assert_eq!(child.death().kind, DeathKind::StackOverflow);
    let schedule = &child.black_box.schedule;
    assert!(!schedule.decisions.is_empty());
    assert_eq!(schedule.decisions.len(), schedule.checks.len());
    assert_eq!(
        schedule.decisions.len() as u32,
        child.black_box.decisions_made
    );
}

fn panics_of_code_under_test_are_recorded_by_engine_and_black_box() {
    let child = Child::of("controlled_panic").run();
    assert_eq!(child.lines, ["engine: boom 42", "ok"]);
    let panic = child.black_box.panic.unwrap();
    assert!(
        panic.starts_with("boom 42 at ") && panic.contains("controlled.rs:"),
        "{panic}"
    );
    assert_eq!(child.black_box.death, None);
}
