//! What the child does. Code under test is played by [`Process::execution`].

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::FromRawFd;

use contest_driver::{self, Channel};
use contest_engine::memory::{Isolation, ProcessIsolation, set_user_code};

use crate::deaths::{c_panic, dies, double_panic, endless_loop, endless_recursion, touch};
use crate::{
    addresses, blocks, controlled, cost, deaths, final_states, interrupts, put_back, states,
    watched,
};

pub(crate) struct Process {
    pub(crate) isolation: ProcessIsolation,
    pub(crate) out: File,
}

impl Process {
    pub(crate) fn start() -> Self {
        Self::prepared(|| ())
    }

    pub(crate) fn prepared(prepare: impl FnOnce()) -> Self {
        if let Err(message) = contest_driver::fix_addresses() {
            // The tests that compare addresses will say so; the others hold without.
            drop(message);
        }
        // SAFETY: a new descriptor.
        let out = unsafe { File::from_raw_fd(libc::dup(1)) };
        drop(Channel::open().unwrap());
        let started = contest_driver::start(prepare).unwrap();
        Self {
            isolation: started.isolation,
            out,
        }
    }

    pub(crate) fn execution<R>(
        &mut self,
        body: impl FnOnce() -> R,
        keep: impl FnOnce(R) -> String,
    ) -> String {
        self.isolation.begin();
        set_user_code(true);
        let result = body();
        set_user_code(false);
        let kept = keep(result);
        self.isolation.end();
        kept
    }

    pub(crate) fn run(&mut self, body: impl FnOnce()) {
        self.execution(body, |()| String::new());
    }

    pub(crate) fn say(&mut self, line: &str) {
        writeln!(self.out, "{line}").unwrap();
    }

    pub(crate) fn end(mut self) -> ! {
        self.say("ok");
        quit(0)
    }
}

pub(crate) fn quit(status: i32) -> ! {
    // SAFETY: ends the process.
    unsafe { libc::_exit(status) }
}

pub(crate) fn run(name: &str) -> ! {
    let scenarios: [(&str, fn() -> !); 41] = [
        ("addresses", addresses::addresses),
        ("addresses_repeat", addresses::addresses_repeat),
        ("hash_order", addresses::hash_order),
        ("statics", put_back::statics),
        ("startup_heap", put_back::startup_heap),
        ("environment", put_back::environment),
        ("process_state", put_back::process_state),
        ("both_sides", blocks::both_sides),
        ("reuse", blocks::reuse),
        ("leak", blocks::leak),
        ("unowned", blocks::unowned),
        ("states", states::states),
        ("final_states", || final_states::final_states(1, "auto")),
        ("final_states_dpor", || {
            final_states::final_states(2, "dpor")
        }),
        ("random", put_back::random),
        ("chatter", chatter),
        ("stack_overflow", || dies(|| endless_recursion(1))),
        ("double_panic", || dies(double_panic)),
        ("c_panic", || dies(|| c_panic())),
        ("null", || dies(|| touch(8))),
        ("wild", || dies(|| touch(0x1234_5678_9000))),
        ("exit", || dies(|| std::process::exit(3))),
        ("endless_loop", || dies(endless_loop)),
        ("memory_limit", deaths::memory_limit),
        ("limit_hook", deaths::limit_hook),
        ("absurd_request", deaths::absurd_request),
        ("own_addresses", controlled::own_addresses),
        ("virtual_time", controlled::virtual_time),
        ("real_time", controlled::real_time),
        ("futex_mutex", controlled::futex_mutex),
        ("futex_deadlock", controlled::futex_deadlock),
        ("futex_timeout", controlled::futex_timeout),
        ("interrupts", interrupts::interrupts),
        ("controlled_limit", controlled::memory_limit),
        ("unfinished", controlled::unfinished),
        ("controlled_overflow", controlled::stack_overflow),
        ("controlled_panic", controlled::panic),
        ("watched", watched::same),
        ("fence", watched::a_fence_is_no_code_under_test),
        ("counted", watched::atomics_are_counted_afresh),
        ("cost", cost::cost),
    ];
    let (_, scenario) = scenarios.iter().find(|(it, _)| *it == name).expect(name);
    scenario()
}

/// True for addresses of the arena.
pub(crate) fn contest_arena_contains(address: usize) -> bool {
    (address >> 32) == 0x6000
}

fn chatter() -> ! {
    let mut process = Process::start();
    let read = process.execution(
        || {
            for _ in 0..100_000 {
                println!("chatter on stdout");
                eprintln!("chatter on stderr");
            }
            std::io::stdin().read(&mut [0; 100]).unwrap()
        },
        |count| format!("read {count} bytes"),
    );
    process.say(&read);
    process.say("done");
    quit(0)
}
