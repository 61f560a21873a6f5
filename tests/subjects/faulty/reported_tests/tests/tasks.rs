//! Tasks of tokio: their order, their ends, their time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use faulty_reported_tests::ms;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::{interval, sleep, timeout};

/// After `delay` milliseconds, `value`.
async fn late(delay: u64, value: u32) -> u32 {
    sleep(ms(delay)).await;
    value
}

mod broken {
    use super::*;

    // tokio-rs/tokio#7090: a spawned task that nobody awaits.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn the_task_has_counted() {
        let count = Arc::new(AtomicU32::new(0));
        let counted = count.clone();
        tokio::spawn(async move { counted.fetch_add(1, SeqCst) });
        sleep(ms(50)).await;
        assert_eq!(count.load(SeqCst), 1);
    }

    // tokio-rs/tokio#4024: only some of the tasks have completed.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn all_tasks_have_counted() {
        let count = Arc::new(AtomicU32::new(0));
        for _ in 0..3 {
            let counted = count.clone();
            tokio::spawn(async move {
                sleep(ms(10)).await;
                counted.fetch_add(1, SeqCst)
            });
        }
        sleep(ms(100)).await;
        assert_eq!(count.load(SeqCst), 3);
    }

    // magicblock-labs/magicblock-validator#1214: results in the order of completion.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn results_are_in_order() {
        let mut tasks = JoinSet::new();
        for (delay, value) in [(5, 1), (120, 2), (240, 3)] {
            tasks.spawn(late(delay, value));
        }
        assert_eq!(tasks.join_all().await, [1, 2, 3]);
    }

    // corentin-core/ruxe#41: a watched value that is overwritten before it is seen.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn each_value_is_seen() {
        let (sender, mut receiver) = watch::channel(0);
        let writer = tokio::spawn(async move {
            for value in 1..=2 {
                sender.send(value).unwrap();
                sleep(ms(60)).await;
            }
        });
        for value in 1..=2 {
            receiver.changed().await.unwrap();
            assert_eq!(*receiver.borrow_and_update(), value);
        }
        writer.await.unwrap();
    }

    // clockworklabs/SpacetimeDB#3896: time limits on busy machines.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn the_answer_is_in_time() {
        let answer = tokio::spawn(late(20, 7));
        assert_eq!(timeout(ms(200), answer).await.expect("in time").unwrap(), 7);
    }

    // octos-org/octos#2011: a fixed number of turns is enough for another task.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn the_actor_has_had_its_turns() {
        let (sender, mut inbox) = mpsc::channel(4);
        let handled = Arc::new(AtomicU32::new(0));
        let count = handled.clone();
        tokio::spawn(async move {
            while let Some(more) = inbox.recv().await {
                count.fetch_add(more, SeqCst);
            }
        });
        sender.send(5).await.unwrap();
        sleep(ms(40)).await;
        assert_eq!(handled.load(SeqCst), 5);
    }

    // hephbuild/heph#256: an aborted task, not awaited, still holds what it shares.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn an_aborted_task_gives_up_what_it_holds() {
        let shared = Arc::new(());
        let held = shared.clone();
        let task = tokio::spawn(async move {
            sleep(ms(60_000)).await;
            drop(held);
        });
        sleep(ms(30)).await;
        task.abort();
        sleep(ms(50)).await;
        assert_eq!(Arc::strong_count(&shared), 1);
    }

    // rust-lang/rust#152878, with tasks: who sends first is received first.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn messages_come_in_order() {
        let (first, mut inbox) = mpsc::channel(4);
        let second = first.clone();
        tokio::spawn(async move { first.send(1).await });
        tokio::spawn(async move {
            sleep(ms(80)).await;
            second.send(2).await
        });
        assert_eq!(inbox.recv().await, Some(1));
        assert_eq!(inbox.recv().await, Some(2));
    }

    // dfinity/ic#9874: `select!` takes the limit although the message is on its way.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn the_message_is_faster_than_the_limit() {
        let (sender, receiver) = oneshot::channel();
        tokio::spawn(async move {
            sleep(ms(10)).await;
            let _ = sender.send(3);
        });
        let taken = tokio::select! {
            message = receiver => message.unwrap(),
            () = sleep(ms(150)) => 0,
        };
        assert_eq!(taken, 3);
    }

    // open-telemetry/opentelemetry-rust#3316: the queue is emptied between two sends.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_full_queue_drops() {
        let (sender, mut inbox) = mpsc::channel(1);
        tokio::spawn(async move {
            sleep(ms(60)).await;
            while inbox.recv().await.is_some() {}
        });
        assert!(sender.try_send(1).is_ok());
        assert!(sender.try_send(2).is_err());
    }

    // cachix/devenv#2320: ticks of a clock that is not paused are counted.
    #[tokio::test]
    async fn there_are_six_ticks() {
        let (mut clock, mut ticks) = (interval(ms(80)), 0);
        let end = sleep(ms(440));
        tokio::pin!(end);
        loop {
            tokio::select! {
                biased;
                () = &mut end => break,
                _ = clock.tick() => ticks += 1,
            }
        }
        assert_eq!(ticks, 6);
    }
}

mod mended {
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn the_task_has_counted() {
        let count = Arc::new(AtomicU32::new(0));
        let counted = count.clone();
        let task = tokio::spawn(async move { counted.fetch_add(1, SeqCst) });
        task.await.unwrap();
        assert_eq!(count.load(SeqCst), 1);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn all_tasks_have_counted() {
        let count = Arc::new(AtomicU32::new(0));
        let mut tasks = JoinSet::new();
        for _ in 0..3 {
            let counted = count.clone();
            tasks.spawn(async move {
                sleep(ms(10)).await;
                counted.fetch_add(1, SeqCst)
            });
        }
        tasks.join_all().await;
        assert_eq!(count.load(SeqCst), 3);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn results_are_in_order() {
        let mut tasks = JoinSet::new();
        for (delay, value) in [(5, 1), (120, 2), (240, 3)] {
            tasks.spawn(late(delay, value));
        }
        let mut results = tasks.join_all().await;
        results.sort_unstable();
        assert_eq!(results, [1, 2, 3]);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn each_value_is_seen() {
        let (sender, mut receiver) = watch::channel(0);
        let writer = tokio::spawn(async move {
            for value in 1..=2 {
                sender.send(value).unwrap();
                sleep(ms(60)).await;
            }
        });
        let last = receiver.wait_for(|value| *value == 2).await.map(|it| *it);
        assert_eq!(last.unwrap(), 2);
        writer.await.unwrap();
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn the_answer_is_in_time() {
        let answer = tokio::spawn(late(20, 7));
        assert_eq!(timeout(ms(60_000), answer).await.expect("in time").unwrap(), 7);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn the_actor_has_had_its_turns() {
        let (sender, mut inbox) = mpsc::channel(4);
        let handled = Arc::new(AtomicU32::new(0));
        let count = handled.clone();
        let actor = tokio::spawn(async move {
            while let Some(more) = inbox.recv().await {
                count.fetch_add(more, SeqCst);
            }
        });
        sender.send(5).await.unwrap();
        drop(sender);
        actor.await.unwrap();
        assert_eq!(handled.load(SeqCst), 5);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn an_aborted_task_gives_up_what_it_holds() {
        let shared = Arc::new(());
        let held = shared.clone();
        let task = tokio::spawn(async move {
            sleep(ms(60_000)).await;
            drop(held);
        });
        sleep(ms(30)).await;
        task.abort();
        assert!(task.await.unwrap_err().is_cancelled());
        assert_eq!(Arc::strong_count(&shared), 1);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn messages_come_in_order() {
        let (first, mut inbox) = mpsc::channel(4);
        let second = first.clone();
        tokio::spawn(async move { first.send(1).await }).await.unwrap().unwrap();
        tokio::spawn(async move {
            sleep(ms(80)).await;
            second.send(2).await
        });
        assert_eq!(inbox.recv().await, Some(1));
        assert_eq!(inbox.recv().await, Some(2));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn the_message_is_faster_than_the_limit() {
        let (sender, receiver) = oneshot::channel();
        tokio::spawn(async move {
            sleep(ms(10)).await;
            let _ = sender.send(3);
        });
        assert_eq!(receiver.await, Ok(3));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_full_queue_drops() {
        let (sender, mut inbox) = mpsc::channel(1);
        assert!(sender.try_send(1).is_ok());
        assert!(sender.try_send(2).is_err());
        let task = tokio::spawn(async move { while inbox.recv().await.is_some() {} });
        drop(sender);
        task.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn there_are_six_ticks() {
        let (mut clock, mut ticks) = (interval(ms(80)), 0);
        let end = sleep(ms(440));
        tokio::pin!(end);
        loop {
            tokio::select! {
                biased;
                () = &mut end => break,
                _ = clock.tick() => ticks += 1,
            }
        }
        assert_eq!(ticks, 6);
    }
}
