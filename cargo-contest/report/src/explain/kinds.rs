//! The explanations.

use contest_data::finding::FindingKind;

use super::explanation::Explanation;

pub(super) const ALL: [Explanation; 20] = [
    Explanation {
        kind: FindingKind::Deadlock,
        meaning: "Some threads wait, and no thread is left that could wake them: each holds what another one needs, or a \
                  notification came before anyone waited for it. The calls never return, or only when a time limit is over.",
        certainty: "Definite: the report has the interleaving, and no sequential order of the same calls blocks in this way, \
                    or only one in which the call that waits was forgotten: made again, it would return.",
        remedies: &[
            "Take the locks in the same order everywhere.",
            "Hold one lock at a time: copy what you need, give the first lock back, then take the second.",
            "Change what a condition variable waits for while holding its mutex, and wait in a loop that checks it.",
            "Wake all who wait (`notify_all`, `notify_waiters`) where all of them can go on, as when something is closed.",
            "Call nothing of others (callbacks, wakers, `Drop` of user values) while a lock is held.",
        ],
        example: include_str!("examples/deadlock.rs"),
    },
    Explanation {
        kind: FindingKind::Panic,
        meaning: "A call panics beside other calls, and panics in no sequential order of them: an assumption holds for \
                  each thread alone but not for all together.",
        certainty: "Definite. A panic that some sequential order shows as well is not reported.",
        remedies: &[
            "Make the check and what relies on it one critical section, or one atomic operation.",
            "If others may change the state in between, handle that case in place of `unwrap` and `expect`.",
            "If the panic is documented and intended, `--allow panic:FILE:LINE` keeps it out of the report.",
        ],
        example: include_str!("examples/panic.rs"),
    },
    Explanation {
        kind: FindingKind::Livelock,
        meaning: "Threads run for ever without changing anything that another one waits for: loops that re-read what no \
                  thread is left to change.",
        certainty: "Definite for the interleaving shown: every thread spins, and none can make progress.",
        remedies: &[
            "Let one side give way: take back what it announced before it waits.",
            "Use a lock, or park the thread and wake it, in place of the loop.",
            "Check that every path, the early returns and panics too, changes what others wait for.",
        ],
        example: include_str!("examples/livelock.rs"),
    },
    Explanation {
        kind: FindingKind::DataRace,
        meaning: "Two threads access the same memory, at least one of them writes, at least one access is not atomic, and \
                  nothing orders the two. In Rust this is undefined behaviour, whatever the values were.",
        certainty: "Definite, by the happens-before rules of C++20, as far as all code that orders threads is instrumented; \
                    the report says if some is not.",
        remedies: &[
            "Protect both accesses with the same lock.",
            "Make both accesses atomic.",
            "Order them: a store with `Release` and a load with `Acquire` of the same atomic, before and after.",
            "If the type has an `unsafe impl Sync`, ask for the bounds that its methods rely on.",
        ],
        example: include_str!("examples/data-race.rs"),
    },
    Explanation {
        kind: FindingKind::UseAfterFree,
        meaning: "A thread uses memory that another one has freed, or frees it with nothing to keep a use by another \
                  thread from coming later.",
        certainty: "Definite: freed memory is not reused while an execution runs, so every later use is seen.",
        remedies: &[
            "Share ownership: `Arc`, or an `Arc` that is replaced under a lock.",
            "Defer freeing until no reader is left: epochs, hazard pointers, reference counts.",
            "Check when a reference count is raised: not after it may have reached zero.",
        ],
        example: include_str!("examples/use-after-free.rs"),
    },
    Explanation {
        kind: FindingKind::DoubleFree,
        meaning: "Memory is freed a second time: two threads both act as its owner.",
        certainty: "Definite.",
        remedies: &[
            "Take ownership in one step: `swap` or `compare_exchange`, not a load and a store.",
            "Free when the count that was returned by `fetch_sub` was one, not when a later load is zero.",
        ],
        example: include_str!("examples/double-free.rs"),
    },
    Explanation {
        kind: FindingKind::OutOfBounds,
        meaning: "An access touches the heap outside every block: usually an index or a length that was right when it was \
                  checked.",
        certainty: "Definite for the heap. Statics and stacks have no bounds here.",
        remedies: &[
            "Check the value that is used, not one that was loaded before.",
            "Read pointer and length together: under a lock, or packed into one atomic.",
        ],
        example: include_str!("examples/out-of-bounds.rs"),
    },
    Explanation {
        kind: FindingKind::Leak,
        meaning: "All threads have ended, and memory is left that nothing owns, while no sequential order leaves blocks of \
                  that size.",
        certainty: "Definite, but careful: a word that looks like an address keeps a block alive, so some leaks are missed.",
        remedies: &[
            "Free what a `compare_exchange` did not manage to store.",
            "Look for a value that is overwritten in place of being swapped out and dropped.",
            "Look for a cycle of `Arc`s that only this interleaving closes.",
        ],
        example: include_str!("examples/leak.rs"),
    },
    Explanation {
        kind: FindingKind::Abort,
        meaning: "The process under test died: `abort`, a stack overflow, an invalid memory access, a signal.",
        certainty: "Definite: the driver process ended, and it ends in no sequential order of the calls.",
        remedies: &[
            "Run the emitted test in a debugger: it has the calls that were running.",
            "A panic inside of a `Drop` during unwinding, and a panic in an `extern \"C\"` function, abort as well.",
        ],
        example: include_str!("examples/abort.rs"),
    },
    Explanation {
        kind: FindingKind::Invariant,
        meaning: "A method that is marked `#[contest(invariant)]` returned false or panicked after the threads of a test had \
                  ended.",
        certainty: "Definite: it holds after every sequential order of the same calls.",
        remedies: &[
            "Make the operations that the interleaving shows side by side exclude each other.",
            "Check whether the invariant is meant to hold while no call runs: that is when it is called.",
        ],
        example: include_str!("examples/invariant.rs"),
    },
    Explanation {
        kind: FindingKind::NonLinearizable,
        meaning: "Each call returned and nothing else went wrong, but the results and the final state match no order of the \
                  calls one after another. To its users the type does not act as if calls were atomic. Real time between \
                  threads is not judged: an order may have a call of another thread first that began later. Results \
                  that threads keep, such as guards, are the exception: two threads may have them at the same time only \
                  if some order allows it.",
        certainty: "A matter of contract: if the documentation allows such results (a snapshot, an approximate count), it is \
                    no bug. The type's own sequential behaviour is the specification.",
        remedies: &[
            "Make the read and the write that depends on it one step: `fetch_add`, `compare_exchange`, one critical section.",
            "Look at the step where one thread acts on what the other has changed since.",
            "If the contract is weaker on purpose, `--allow non-linearizable:FILE` keeps it out of the report.",
        ],
        example: include_str!("examples/non-linearizable.rs"),
    },
    Explanation {
        kind: FindingKind::WrongThread,
        meaning: "A value that must stay on the thread that made it (it is not `Send`) was dropped by another one: an `unsafe \
                  impl` admits type arguments that it should not.",
        certainty: "Definite: the value reports the thread that drops it.",
        remedies: &[
            "Ask for `T: Send` in the `unsafe impl Sync` (and `unsafe impl Send`) of the type.",
        ],
        example: include_str!("examples/wrong-thread.rs"),
    },
    Explanation {
        kind: FindingKind::LostWakeup,
        meaning: "Every task waits for a future, none of them was woken, and a future is ready all the same: polled once more, \
                  it would go on. The task sleeps until something else happens to wake it.",
        certainty: "Definite: the future was polled again where no task could run, and was ready. Each poll has a waker of its \
                    own, and `Future::poll` need wake the newest one only.",
        remedies: &[
            "Register the waker before looking at the condition, or look again after registering it.",
            "Replace the kept waker at each poll (`Waker::clone_from`), not at the first one only.",
            "In the `Drop` of a future that was woken and did not take what it was woken for, wake the next waiter.",
        ],
        example: include_str!("examples/lost-wakeup.rs"),
    },
    Explanation {
        kind: FindingKind::Cancellation,
        meaning: "The future of a call was dropped at an `await`, as `select!` and timeouts do. What the other calls return, the \
                  final state, or a call that hangs is then explained neither if the cancelled call had no effect nor if it \
                  had all of it.",
        certainty: "A matter of contract: if the documentation says that the call is not cancel safe, it is no bug. Otherwise \
                    definite: the same calls do it in no sequential order.",
        remedies: &[
            "Change the state on one side of each `await` only, or undo the change in the `Drop` of a guard.",
            "Give back in `Drop` what the future was handed: a permit, a slot, a wake-up, the leadership of others.",
            "If it is meant to be so, document it, and keep it out of the report with `--allow cancellation:FILE`.",
        ],
        example: include_str!("examples/cancellation.rs"),
    },
    Explanation {
        kind: FindingKind::ReentrantWaker,
        meaning: "A waker polled its future inside `wake`, on the thread that woke it, and that thread still held what the poll \
                  needs: it waits for itself, spins for ever, or panics at a `RefCell`. Executors that run a task at once, \
                  and wakers that bridge to callbacks, do that.",
        certainty: "Definite for such wakers: `Wake::wake` may run any code. With executors that only put the task into a queue \
                    it does not happen, so it is only reported with `--deny reentrant-waker`.",
        remedies: &[
            "Take the waker out under the lock, drop the guard, then wake.",
            "Collect wakers in a list while the lock is held, and wake them after it was given back.",
        ],
        example: include_str!("examples/reentrant-waker.rs"),
    },
    Explanation {
        kind: FindingKind::Futurelock,
        meaning: "A call's future was polled, and then kept without being polled or dropped, while another call waits for what \
                  it holds: a lock, a permit, a place in a queue. A task does that if it awaits something else in the branch of \
                  a `select!` over `&mut future`, or between two items of a buffered stream.",
        certainty: "Definite for callers that do so: with the kept call left out, or run to its end, no order of the calls waits \
                    for ever. Callers that drop or go on polling what they have polled never see it, so it is only reported \
                    with `--deny futurelock`.",
        remedies: &[
            "As the author: hold no lock across an `await`; hand over what was waited for only when the future is polled again.",
            "As a caller: own the future instead of `&mut future` in `select!`, so that it is dropped, or run it in a task.",
        ],
        example: include_str!("examples/futurelock.rs"),
    },
    Explanation {
        kind: FindingKind::Timing,
        meaning: "A test of the package passes only as long as no thread is late: one was held up once, for less than a second, \
                  while sleeps and time limits of the others were over or the clock moved. Machines that are busy do that.",
        certainty: "Definite: time is virtual, and the same test passes without the delay. The report says which thread was held \
                    up, where, and for how long at least. Waits of a second or more are not beaten.",
        remedies: &[
            "Wait for what is to happen, not for a time: join the thread, receive a message, poll a condition until a late deadline.",
            "Give the code under test a clock of its own (tokio: `start_paused = true`), and move it in the test.",
            "Compare durations with `>=` only, and read the clock once where two readings have to agree.",
        ],
        example: include_str!("examples/timing.rs"),
    },
    Explanation {
        kind: FindingKind::Randomness,
        meaning: "A test of the package passes under one draw of random numbers and fails under another, in the same order of \
                  steps: numbers that the code draws, or the order of entries in a map.",
        certainty: "Definite: both draws are ones that the generator can give. How many were run stands in the results.",
        remedies: &[
            "Seed the generator in the test, or sort what comes out of a map before it is compared.",
            "If equal numbers do harm, draw again, or draw from a larger range.",
        ],
        example: include_str!("examples/randomness.rs"),
    },
    Explanation {
        kind: FindingKind::Interference,
        meaning: "A test of the package passes by itself, and fails beside another test of the same executable or after it: they \
                  share a static, an environment variable, or something else that outlives a test.",
        certainty: "Definite for `cargo test`, which runs tests as threads of one process, in any order. With a process for each \
                    test, as under nextest, it does not happen: `--isolated`.",
        remedies: &[
            "Give each test its own: a parameter in place of a static, a directory of its own, port 0.",
            "Where it has to be shared, hold one lock in all tests that use it, and put back what was there.",
        ],
        example: include_str!("examples/interference.rs"),
    },
    Explanation {
        kind: FindingKind::TornRead,
        meaning: "A call that changes nothing returned what it returns in no order of the calls: it saw a part of what another \
                  call did. All that changes the object is right: without the reading call, results and final state are \
                  those of some order. That the call changes nothing is measured: in each order, the object after it is \
                  as before it, by what `Debug` shows or in memory. The same call in the end returns what it should: a change that \
                  is lost for good is `non-linearizable`. Calls on several objects that know each other, such as a bus and \
                  its subscribers, are a torn read if those on each object are right beside those on the first one.",
        certainty: "A matter of contract, so it is a warning: counters that are read one after the other, statistics and \
                    progress are often meant to be so. A read that is wrong only because an ordering is too weak is \
                    `non-linearizable`, an error. `--deny torn-read` makes it an error, also for a file (`torn-read:FILE`).",
        remedies: &[
            "Read all parts in one step: one lock round them, or one atomic that holds them.",
            "Where parts may be of different moments, say so: `weak = [\"Metrics::snapshot\"]` in the manifest, or a word such as \
             \"approximate\" in the documentation.",
        ],
        example: include_str!("examples/torn-read.rs"),
    },
];
