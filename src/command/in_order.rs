//! Work on several threads whose answers come in the order of the jobs.
//!
//! Jobs are begun oldest first, so whoever waits for an older one waits for one that is under way.
//! What a job tells waits in a short channel of its own: a thread that is ahead stands still when
//! that is full, so memory stays bounded whatever is told.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Jobs under way or done and not yet taken, for each thread.
const AHEAD: usize = 4;
/// What one job may tell before it is taken.
const WAITING: usize = 64;

/// Where a job tells what it finds.
pub(super) struct Teller<'t, T> {
    tell: &'t mut dyn FnMut(T),
    stopped: &'t AtomicBool,
}

impl<'t, T> Teller<'t, T> {
    /// Tells one thing.
    pub(super) fn tell(&mut self, what: T) {
        (self.tell)(what);
    }

    /// Whether nobody listens any more.
    pub(super) fn stopped(&self) -> &'t AtomicBool {
        self.stopped
    }
}

/// A job that nobody has begun.
struct Waiting<T> {
    number: usize,
    answers: SyncSender<T>,
}

struct Queue<T> {
    /// Oldest first.
    jobs: VecDeque<Waiting<T>>,
    is_closed: bool,
}

/// What all threads share.
struct Exchange<T> {
    queue: Mutex<Queue<T>>,
    changed: Condvar,
    stopped: AtomicBool,
}

impl<T> Exchange<T> {
    fn new() -> Self {
        Self {
            queue: Mutex::new(Queue {
                jobs: VecDeque::new(),
                is_closed: false,
            }),
            changed: Condvar::new(),
            stopped: AtomicBool::new(false),
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue<T>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, number: usize) -> Receiver<T> {
        let (answers, receiver) = sync_channel(WAITING);
        self.queue().jobs.push_back(Waiting { number, answers });
        self.changed.notify_one();
        receiver
    }

    /// The oldest job; `None` when no job can come any more.
    fn take(&self) -> Option<Waiting<T>> {
        let nothing = |queue: &mut Queue<T>| queue.jobs.is_empty() && !queue.is_closed;
        let queue = self.changed.wait_while(self.queue(), nothing);
        queue
            .unwrap_or_else(PoisonError::into_inner)
            .jobs
            .pop_front()
    }
}

/// Ends the other threads, however the calling one leaves.
struct Closing<'x, T>(&'x Exchange<T>);

impl<T> Drop for Closing<'_, T> {
    fn drop(&mut self) {
        self.0.stopped.store(true, Ordering::Relaxed);
        let mut queue = self.0.queue();
        queue.jobs.clear();
        queue.is_closed = true;
        self.0.changed.notify_all();
    }
}

/// Does each job on one of `threads` threads, and gives what it tells to `take` on the calling
/// thread, job after job in their order. When `take` fails, no more is begun, and what is under way
/// is told to stop.
pub(super) fn in_order<J: Sync, T: Send, E>(
    jobs: &[J],
    threads: usize,
    work: impl Fn(&J, &mut Teller<'_, T>) + Sync,
    mut take: impl FnMut(&J, T) -> Result<(), E>,
) -> Result<(), E> {
    let exchange = Exchange::new();
    thread::scope(|scope| {
        let closing = Closing(&exchange);
        let begin = |_: &usize| {
            let run = || run(jobs, &work, &exchange);
            thread::Builder::new().spawn_scoped(scope, run).is_ok()
        };
        let wanted = if jobs.len() > 1 { threads } else { 1 };
        // One thread does its work where it is; so does a system that gives none.
        let others = match wanted {
            1 => 0,
            wanted => (0..wanted).take_while(begin).count(),
        };
        if others == 0 {
            return alone(jobs, &work, &mut take, &exchange.stopped);
        }
        let mut under_way: VecDeque<(&J, Receiver<T>)> = VecDeque::new();
        let mut left = jobs.iter().enumerate();
        loop {
            while under_way.len() < others * AHEAD
                && let Some((number, job)) = left.next()
            {
                under_way.push_back((job, exchange.put(number)));
            }
            let Some((job, answers)) = under_way.pop_front() else {
                drop(closing);
                return Ok(());
            };
            for answer in answers {
                take(job, answer)?;
            }
        }
    })
}

/// One of the threads: does job after job.
fn run<J, T>(jobs: &[J], work: &impl Fn(&J, &mut Teller<'_, T>), exchange: &Exchange<T>) {
    while let Some(Waiting { number, answers }) = exchange.take() {
        let Some(job) = jobs.get(number) else {
            continue;
        };
        let mut tell = |what| {
            if answers.send(what).is_err() {
                exchange.stopped.store(true, Ordering::Relaxed);
            }
        };
        work(
            job,
            &mut Teller {
                tell: &mut tell,
                stopped: &exchange.stopped,
            },
        );
    }
}

/// All jobs on the calling thread.
fn alone<J, T, E>(
    jobs: &[J],
    work: &impl Fn(&J, &mut Teller<'_, T>),
    take: &mut impl FnMut(&J, T) -> Result<(), E>,
    stopped: &AtomicBool,
) -> Result<(), E> {
    for job in jobs {
        let mut failed = None;
        let mut tell = |what| {
            if failed.is_none()
                && let Err(error) = take(job, what)
            {
                stopped.store(true, Ordering::Relaxed);
                failed = Some(error);
            }
        };
        work(
            job,
            &mut Teller {
                tell: &mut tell,
                stopped,
            },
        );
        if let Some(error) = failed {
            return Err(error);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{WAITING, in_order};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    #[test]
    fn answers_come_in_the_order_of_the_jobs_on_any_number_of_threads() {
        let jobs: Vec<usize> = (0..100).collect();
        let expected: Vec<_> = jobs
            .iter()
            .flat_map(|job| (0..job % 7 * WAITING).map(move |answer| (*job, answer)))
            .collect();
        for threads in [1, 2, 3, 16] {
            let mut taken = Vec::new();
            let done: Result<(), ()> = in_order(
                &jobs,
                threads,
                |job, teller| {
                    if job.is_multiple_of(10) {
                        std::thread::sleep(Duration::from_millis(2));
                    }
                    (0..job % 7 * WAITING).for_each(|answer| teller.tell(answer));
                },
                |job, answer| {
                    taken.push((*job, answer));
                    Ok(())
                },
            );
            assert_eq!(done, Ok(()));
            assert!(taken == expected, "{threads} threads");
        }
    }

    #[test]
    fn whoever_listens_no_more_ends_it_all() {
        let jobs: Vec<usize> = (0..10_000).collect();
        for threads in [1, 4] {
            let begun = AtomicUsize::new(0);
            let done = in_order(
                &jobs,
                threads,
                |_, teller| {
                    begun.fetch_add(1, Ordering::Relaxed);
                    while !teller.stopped().load(Ordering::Relaxed) {
                        teller.tell(());
                    }
                },
                |_, ()| Err("full"),
            );
            assert_eq!(done, Err("full"));
            assert!(begun.load(Ordering::Relaxed) < 100);
        }
    }
}
