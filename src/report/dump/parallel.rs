//! Renders stretches on several threads and takes their portions in the order of the file.
//!
//! Threads take stretches from one queue, oldest first, so the oldest is always under way and the
//! others may wait for it without a deadlock.

use std::collections::VecDeque;
use std::mem;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use super::render::{Portion, Refused, Renderer};
use super::segment::{Delivery, Plan, Stop, Stretch, Stretches, alone};
use super::view::View;
use crate::storage::source::{ReadError, Source};

/// Stretches under way for each thread.
const AHEAD: usize = 2;
/// Portions of one stretch that may wait to be handed over.
const WAITING: usize = 2;

/// What all threads share.
#[derive(Debug)]
pub(super) struct Work<'w, V> {
    pub(super) source: &'w Source,
    pub(super) view: &'w V,
    pub(super) plan: &'w Plan,
    pub(super) threads: usize,
}

/// A stretch under way, and where its portions go.
struct Job {
    stretch: Stretch,
    portions: SyncSender<Result<Portion, ReadError>>,
}

/// Walks on the calling thread, renders on others.
pub(super) fn dump<V: View, E>(
    work: &Work<'_, V>,
    stretches: &mut Stretches<'_, '_>,
    delivery: &mut Delivery<'_, E>,
) -> Result<(), Stop<E>> {
    let (jobs, queue) = channel::<Job>();
    let queue = Mutex::new(queue);
    let spare = Mutex::new(Vec::new());
    thread::scope(|scope| {
        let begin = |_: &usize| {
            let worker = || run(work, &queue, &spare);
            thread::Builder::new().spawn_scoped(scope, worker).is_ok()
        };
        // A system that gives fewer gets its work done by fewer.
        let threads = (0..work.threads).take_while(begin).count();
        if threads == 0 {
            return alone(work.source, work.view, work.plan, stretches, delivery);
        }
        let outcome = hand_out(threads * AHEAD, stretches, &jobs, &spare, delivery);
        // The threads end when no job can come any more.
        drop(jobs);
        outcome
    })
}

/// Gives stretches to the threads and takes the portions of the oldest.
fn hand_out<E>(
    ahead: usize,
    stretches: &mut Stretches<'_, '_>,
    jobs: &Sender<Job>,
    spare: &Mutex<Vec<Portion>>,
    delivery: &mut Delivery<'_, E>,
) -> Result<(), Stop<E>> {
    let mut under_way: VecDeque<Receiver<Result<Portion, ReadError>>> = VecDeque::new();
    let mut failed = None;
    loop {
        while failed.is_none() && under_way.len() < ahead {
            match stretches.next_stretch() {
                Ok(Some(stretch)) => {
                    let (portions, oldest) = sync_channel(WAITING);
                    // A thread that is gone has left its reason in its own channel.
                    let _ = jobs.send(Job { stretch, portions });
                    under_way.push_back(oldest);
                }
                Ok(None) => break,
                // What lies in front is delivered first.
                Err(error) => failed = Some(error),
            }
        }
        let Some(oldest) = under_way.pop_front() else {
            return failed.map_or(Ok(()), |error| Err(error.into()));
        };
        for portion in oldest {
            let mut portion = portion?;
            delivery.take(&mut portion)?;
            portion.clear();
            keep(spare, portion);
        }
    }
}

/// One thread: renders stretch after stretch, in the order of the file.
fn run<V: View>(work: &Work<'_, V>, queue: &Mutex<Receiver<Job>>, spare: &Mutex<Vec<Portion>>) {
    let mut renderer = Renderer::new(work.source, work.view, work.plan);
    loop {
        let job = queue.lock().map(|queue| queue.recv());
        let Ok(Ok(Job { stretch, portions })) = job else {
            return;
        };
        let rendered = renderer.render(&stretch, &mut |portion| {
            let empty = spare
                .lock()
                .ok()
                .and_then(|mut spare| spare.pop())
                .unwrap_or_default();
            portions
                .send(Ok(mem::replace(portion, empty)))
                .map_err(|_| Refused)
        });
        match rendered {
            Ok(()) => {}
            Err(Stop::Output(Refused)) => return,
            Err(Stop::Read(error)) => {
                // Nobody listens when the dump has stopped already.
                let _ = portions.send(Err(error));
                return;
            }
        }
    }
}

fn keep(spare: &Mutex<Vec<Portion>>, portion: Portion) {
    if let Ok(mut spare) = spare.lock() {
        spare.push(portion);
    }
}
