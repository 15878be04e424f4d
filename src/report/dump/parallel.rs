//! Renders stretches on several threads and takes their portions in the order of the file.
//!
//! The calling thread walks ahead, delivers, and renders when no output waits for it. Stretches
//! are begun oldest first, so whoever waits for an older one waits for one that is under way.

use std::collections::VecDeque;
use std::mem;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::render::{Portion, Refused, Renderer};
use super::segment::{Delivery, Plan, Stop, Stretch, Stretches};
use super::view::View;
use crate::storage::source::{ReadError, Source};

/// Stretches under way for each thread.
const AHEAD: usize = 3;
/// Portions of one stretch that may wait to be handed over.
const WAITING: usize = 2;

/// What all threads share.
#[derive(Debug)]
pub(super) struct Work<'w, V> {
    pub(super) source: &'w Source,
    pub(super) view: &'w V,
    pub(super) plan: &'w Plan,
    /// How many render, the calling one among them.
    pub(super) threads: usize,
}

/// A stretch that nobody has begun, and where its portions go.
struct Job {
    number: usize,
    stretch: Stretch,
    portions: SyncSender<Result<Portion, ReadError>>,
}

/// What goes between the threads beside the portions.
#[derive(Default)]
struct Exchange {
    queue: Mutex<Queue>,
    /// A job came, or the last one is gone.
    changed: Condvar,
    spare: Mutex<Vec<Portion>>,
}

#[derive(Default)]
struct Queue {
    /// Oldest first.
    jobs: VecDeque<Job>,
    closed: bool,
}

impl Exchange {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, job: Job) {
        self.queue().jobs.push_back(job);
        self.changed.notify_one();
    }

    fn take_now(&self) -> Option<Job> {
        self.queue().jobs.pop_front()
    }

    /// The oldest job; `None` when no job can come any more.
    fn take(&self) -> Option<Job> {
        let nothing = |queue: &mut Queue| queue.jobs.is_empty() && !queue.closed;
        let queue = self.changed.wait_while(self.queue(), nothing);
        queue
            .unwrap_or_else(PoisonError::into_inner)
            .jobs
            .pop_front()
    }

    /// Takes a full portion out of a renderer and leaves an empty one.
    fn swap(&self, portion: &mut Portion) -> Portion {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        mem::replace(portion, spare.pop().unwrap_or_default())
    }

    fn give_back(&self, mut portion: Portion) {
        portion.clear();
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        spare.push(portion);
    }
}

/// Ends the other threads, however the calling one leaves.
struct Closing<'x>(&'x Exchange);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        let mut queue = self.0.queue();
        queue.jobs.clear();
        queue.closed = true;
        self.0.changed.notify_all();
    }
}

/// Walks and renders on the calling thread, renders on others.
pub(super) fn dump<V: View, E>(
    work: &Work<'_, V>,
    stretches: &mut Stretches<'_, '_>,
    delivery: &mut Delivery<'_, E>,
) -> Result<(), Stop<E>> {
    let exchange = Exchange::default();
    thread::scope(|scope| {
        let _closing = Closing(&exchange);
        let begin = |_: &usize| {
            let other = || render_others(work, &exchange);
            thread::Builder::new().spawn_scoped(scope, other).is_ok()
        };
        // A system that gives fewer gets its work done by fewer.
        let others = (1..work.threads).take_while(begin).count();
        let lead = Lead {
            exchange: &exchange,
            stretches,
            delivery,
            ahead: (others + 1) * AHEAD,
            under_way: VecDeque::new(),
            first: 0,
            failed: None,
        };
        lead.run(Renderer::new(work.source, work.view, work.plan))
    })
}

/// One of the other threads: renders stretch after stretch.
fn render_others<V: View>(work: &Work<'_, V>, exchange: &Exchange) {
    let mut renderer = Renderer::new(work.source, work.view, work.plan);
    while let Some(job) = exchange.take() {
        let rendered = renderer.render(&job.stretch, &mut |portion| {
            let full = exchange.swap(portion);
            job.portions.send(Ok(full)).map_err(|_| Refused)
        });
        match rendered {
            Ok(()) => {}
            Err(Stop::Output(Refused)) => return,
            Err(Stop::Read(error)) => {
                // Nobody listens when the dump has stopped already.
                let _ = job.portions.send(Err(error));
                return;
            }
        }
    }
}

/// Who renders a stretch, and what of it waits.
enum Slot {
    Others(Receiver<Result<Portion, ReadError>>),
    Own(Vec<Portion>),
}

/// The calling thread.
struct Lead<'l, 's, 'p, 'd, E> {
    exchange: &'l Exchange,
    stretches: &'l mut Stretches<'s, 'p>,
    delivery: &'l mut Delivery<'d, E>,
    /// Stretches under way at most.
    ahead: usize,
    /// Oldest first.
    under_way: VecDeque<Slot>,
    /// The number of the oldest.
    first: usize,
    /// Why the walk ended early: told when what lies in front is delivered.
    failed: Option<ReadError>,
}

impl<E> Lead<'_, '_, '_, '_, E> {
    fn run<V: View>(mut self, mut renderer: Renderer<'_, '_, V>) -> Result<(), Stop<E>> {
        loop {
            self.hand_out();
            if self.deliver_what_waits()? {
                continue;
            }
            if let Some(job) = self.exchange.take_now() {
                self.render(&mut renderer, job)?;
            } else if self.under_way.is_empty() {
                return self.failed.map_or(Ok(()), |error| Err(error.into()));
            } else {
                self.deliver_oldest()?;
            }
        }
    }

    /// Walks on until enough is under way.
    fn hand_out(&mut self) {
        while self.failed.is_none() && self.under_way.len() < self.ahead {
            match self.stretches.next_stretch() {
                Ok(Some(stretch)) => {
                    let (portions, receiver) = sync_channel(WAITING);
                    self.exchange.put(Job {
                        number: self.first + self.under_way.len(),
                        stretch,
                        portions,
                    });
                    self.under_way.push_back(Slot::Others(receiver));
                }
                Ok(None) => return,
                Err(error) => self.failed = Some(error),
            }
        }
    }

    /// Delivers some of the oldest stretch if any of it waits, or finds it done.
    fn deliver_what_waits(&mut self) -> Result<bool, Stop<E>> {
        match self.under_way.front() {
            None => return Ok(false),
            Some(Slot::Own(_)) => self.deliver_oldest()?,
            Some(Slot::Others(portions)) => match portions.try_recv() {
                Ok(portion) => self.deliver(portion?)?,
                Err(TryRecvError::Empty) => return Ok(false),
                Err(TryRecvError::Disconnected) => self.oldest_is_done(),
            },
        }
        Ok(true)
    }

    /// Delivers the oldest stretch to its end, which may have to come yet.
    fn deliver_oldest(&mut self) -> Result<(), Stop<E>> {
        let slot = self.under_way.pop_front();
        self.first += 1;
        match slot {
            Some(Slot::Own(portions)) => portions.into_iter().try_for_each(|p| self.deliver(p)),
            Some(Slot::Others(portions)) => portions.iter().try_for_each(|p| self.deliver(p?)),
            None => Ok(()),
        }
    }

    fn oldest_is_done(&mut self) {
        self.under_way.pop_front();
        self.first += 1;
    }

    fn deliver(&mut self, mut portion: Portion) -> Result<(), Stop<E>> {
        self.delivery.take(&mut portion)?;
        self.exchange.give_back(portion);
        Ok(())
    }

    /// Renders a stretch here.
    fn render<V: View>(
        &mut self,
        renderer: &mut Renderer<'_, '_, V>,
        job: Job,
    ) -> Result<(), Stop<E>> {
        let Job {
            number, stretch, ..
        } = job;
        if let Some(slot) = self.under_way.get_mut(number - self.first) {
            *slot = Slot::Own(Vec::new());
        }
        let mut stopped = None;
        let rendered = renderer.render(&stretch, &mut |portion| {
            let full = self.exchange.swap(portion);
            self.keep(number, full).map_err(|stop| {
                stopped = Some(stop);
                Refused
            })
        });
        match (stopped, rendered) {
            (Some(stop), _) => Err(stop),
            (None, Err(Stop::Read(error))) => {
                self.deliver_up_to(number + 1)?;
                Err(error.into())
            }
            (None, _) => Ok(()),
        }
    }

    /// Delivers a portion rendered here, or keeps it while older ones are still to come.
    fn keep(&mut self, number: usize, full: Portion) -> Result<(), Stop<E>> {
        while self.first < number && self.deliver_what_waits()? {}
        if self.first < number
            && let Some(Slot::Own(kept)) = self.under_way.get_mut(number - self.first)
            && kept.len() < WAITING
        {
            kept.push(full);
            return Ok(());
        }
        self.deliver_up_to(number)?;
        if let Some(Slot::Own(kept)) = self.under_way.front_mut() {
            let kept = mem::take(kept);
            kept.into_iter()
                .try_for_each(|portion| self.deliver(portion))?;
        }
        self.deliver(full)
    }

    /// Delivers all stretches in front of one.
    fn deliver_up_to(&mut self, number: usize) -> Result<(), Stop<E>> {
        while self.first < number && !self.under_way.is_empty() {
            self.deliver_oldest()?;
        }
        Ok(())
    }
}
