//! A read-only memory map that outlives the truncation of its file.
//!
//! A page behind the end of a file that was cut after it was mapped raises SIGBUS when it is
//! touched, which by default ends the process. The handler here looks the address up among the
//! live maps, marks the map as faulted, and puts a page of zeros in the place: the read goes on,
//! and whoever reads asks [`Map::faulted`] before it believes what it saw. A SIGBUS from anywhere
//! else goes to the handler that was there before.
//!
//! This is the only file of the crate with `unsafe` in it. It knows nothing of what the bytes
//! mean.

#[cfg(not(unix))]
pub(super) use absent::Map;
#[cfg(unix)]
pub(super) use present::Map;

/// Maps exist on unix only: elsewhere there is no SIGBUS to catch, and no promise to give.
#[cfg(not(unix))]
mod absent {
    /// A map that cannot be made.
    #[derive(Debug)]
    pub(crate) enum Map {}

    impl Map {
        pub(crate) fn new(_: &std::fs::File, _: u64) -> Option<Self> {
            None
        }

        pub(crate) fn as_slice(&self) -> &[u8] {
            match *self {}
        }

        pub(crate) fn faulted(&self) -> bool {
            match *self {}
        }

        pub(crate) fn release(&self, _: usize, _: usize) {
            match *self {}
        }
    }
}

#[cfg(unix)]
#[expect(
    unsafe_code,
    reason = "mapping a file and catching SIGBUS cannot be written without it"
)]
mod present {
    use std::ffi::{c_int, c_void};
    use std::fs::File;
    use std::mem::MaybeUninit;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

    /// The bytes of a file as they were mapped, read-only.
    #[derive(Debug)]
    pub(crate) struct Map {
        /// Absent for an empty file, which needs no pages.
        pages: Option<Pages>,
    }

    #[derive(Debug)]
    struct Pages {
        mapping: memmap2::Mmap,
        slot: &'static Slot,
    }

    impl Map {
        /// Maps the first `length` bytes of `file`.
        ///
        /// `None` where that cannot be done safely: the system refuses, the handler cannot be
        /// installed, or [`SLOTS`] maps are alive already. The caller then reads plainly, and
        /// meets the true error, if there is one, with its position.
        pub(crate) fn new(file: &File, length: u64) -> Option<Self> {
            let length = usize::try_from(length).ok()?;
            if length == 0 {
                return Some(Self { pages: None });
            }
            if !handler_is_installed() {
                return None;
            }
            // SAFETY: the map is read-only. Another process may still change the
            // file's bytes under the slice; as with every map of a live file, the answer is that
            // nothing above derives memory safety from them: all parsing is bounds-checked safe
            // code. Truncation, the change that would end the process, is caught below.
            let mapping = unsafe { memmap2::MmapOptions::new().len(length).map(file) }.ok()?;
            let start = mapping.as_ptr().addr();
            let slot = Slot::claim(start, start.checked_add(length)?)?;
            // No madvise: sequential advice is 30 % faster over small batches of a cold file,
            // 30 % slower over large ones that a header walk jumps across, and nothing when warm.
            let pages = Some(Pages { mapping, slot });
            Some(Self { pages })
        }

        /// The bytes; zeros where a page was gone when it was first touched.
        pub(crate) fn as_slice(&self) -> &[u8] {
            self.pages
                .as_ref()
                .map_or(&[], |pages| pages.mapping.as_ref())
        }

        /// Whether a page was gone: bytes read before this call may be zeros that the file never
        /// held. Once true it stays true.
        pub(crate) fn faulted(&self) -> bool {
            self.pages
                .as_ref()
                .is_some_and(|pages| pages.slot.faulted.load(SeqCst))
        }
    }

    impl Map {
        /// Gives back the pages that lie whole inside the range. Undoing a whole map at once takes
        /// a fifth of the time of a dump; threads that release what they are done with share it.
        pub(crate) fn release(&self, start: usize, length: usize) {
            let (Some(pages), Some(known)) = (&self.pages, CONTEXT.get()) else {
                return;
            };
            let in_page = known.page_size.wrapping_sub(1);
            let end = start.saturating_add(length).min(pages.mapping.len()) & !in_page;
            let first = start.saturating_add(in_page) & !in_page;
            let Some(whole) = end.checked_sub(first).filter(|size| *size > 0) else {
                return;
            };
            // SAFETY: the map is shared and read-only, so a page given back is read from the file
            // again when it is touched again; a page of zeros in a place that was cut stays zeros.
            let advised = unsafe {
                pages.mapping.unchecked_advise_range(
                    memmap2::UncheckedAdvice::DontNeed,
                    first,
                    whole,
                )
            };
            // Advice that is refused changes nothing.
            drop(advised);
        }
    }

    impl Drop for Pages {
        fn drop(&mut self) {
            // Before the unmapping, which follows when the fields drop: the address range may
            // belong to someone else right after it.
            self.slot.release();
        }
    }

    /// Most maps alive at one time.
    const SLOTS: usize = 1024;

    /// The live maps. The handler walks it, so it is atomics in static memory and nothing else.
    static REGISTRY: [Slot; SLOTS] = [const { Slot::free() }; SLOTS];

    /// One live map, or a free place for one.
    #[derive(Debug)]
    struct Slot {
        /// Odd while the slot is claimed; it never repeats, so a reader that finds it unchanged
        /// has read the other fields of one and the same map.
        generation: AtomicUsize,
        /// Address of the first byte; meaningless while `end` is 0.
        start: AtomicUsize,
        /// Address behind the last byte; 0 while the slot is free or being filled.
        end: AtomicUsize,
        faulted: AtomicBool,
    }

    impl Slot {
        const fn free() -> Self {
            Self {
                generation: AtomicUsize::new(0),
                start: AtomicUsize::new(0),
                end: AtomicUsize::new(0),
                faulted: AtomicBool::new(false),
            }
        }

        fn claim(start: usize, end: usize) -> Option<&'static Self> {
            let slot = REGISTRY.iter().find(|slot| slot.take())?;
            slot.faulted.store(false, SeqCst);
            slot.start.store(start, SeqCst);
            slot.end.store(end, SeqCst);
            Some(slot)
        }

        /// Makes a free slot a claimed one, unless another thread is faster.
        fn take(&self) -> bool {
            let generation = self.generation.load(SeqCst);
            generation & 1 == 0
                && self
                    .generation
                    .compare_exchange(generation, generation.wrapping_add(1), SeqCst, SeqCst)
                    .is_ok()
        }

        fn release(&self) {
            // `start` stays: whoever has read the old `end` must not see another start with it
            // before the generation moves.
            self.end.store(0, SeqCst);
            self.generation.fetch_add(1, SeqCst);
        }

        /// Whether the map of this slot holds the address. Async-signal-safe.
        fn holds(&self, address: usize) -> bool {
            let generation = self.generation.load(SeqCst);
            let end = self.end.load(SeqCst);
            let start = self.start.load(SeqCst);
            generation & 1 == 1
                && (start..end).contains(&address)
                && self.generation.load(SeqCst) == generation
        }
    }

    /// What the handler needs; complete before the handler is installed.
    struct Context {
        page_size: usize,
        previous: libc::sigaction,
    }

    static CONTEXT: OnceLock<Context> = OnceLock::new();
    static INSTALLED: OnceLock<bool> = OnceLock::new();

    fn handler_is_installed() -> bool {
        *INSTALLED.get_or_init(|| install().is_some())
    }

    fn install() -> Option<()> {
        // SAFETY: sysconf has no preconditions.
        let page_size = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
        if !page_size.is_power_of_two() {
            return None;
        }
        let mut previous = MaybeUninit::uninit();
        // SAFETY: a null action only asks; the kernel fills `previous` when it answers 0.
        let previous = unsafe {
            if libc::sigaction(libc::SIGBUS, std::ptr::null(), previous.as_mut_ptr()) != 0 {
                return None;
            }
            previous.assume_init()
        };
        CONTEXT
            .set(Context {
                page_size,
                previous,
            })
            .ok()?;
        let mut action = previous;
        #[expect(
            clippy::as_conversions,
            clippy::fn_to_numeric_cast_any,
            reason = "sigaction takes the handler as an integer, and no other conversion exists"
        )]
        let address = on_bus_error as *const () as libc::sighandler_t;
        action.sa_sigaction = address;
        // On the alternate stack, where there is one: on some systems a stack overflow comes as
        // SIGBUS, and the previous handler must be able to report it.
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        // SAFETY: `action` is a whole sigaction; its handler has the SA_SIGINFO signature, and
        // calls only what is async-signal-safe.
        let installed = unsafe {
            libc::sigemptyset(&raw mut action.sa_mask) == 0
                && libc::sigaction(libc::SIGBUS, &raw const action, std::ptr::null_mut()) == 0
        };
        installed.then_some(())
    }

    /// The handler: no allocation, no lock, nothing but atomics, `mmap` and `sigaction`.
    extern "C" fn on_bus_error(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
        let Some(known) = CONTEXT.get() else {
            // Never reached: the context is complete before the handler is installed.
            return fall_to_default();
        };
        // SAFETY: the kernel hands an SA_SIGINFO handler a valid siginfo.
        let (code, address) = unsafe { ((*info).si_code, (*info).si_addr()) };
        // 2 to 4 are the codes of a page that is not there: BUS_ADRERR, BUS_OBJERR, and Linux's
        // BUS_MCEERR_AR. A signal that a process sent carries no address and has other codes.
        if (2..=4).contains(&code) && replace_page(address.cast(), known.page_size) {
            return;
        }
        pass_on(&known.previous, signal, info, context);
    }

    /// Puts a page of zeros where `address` points, if that lies in a live map.
    ///
    /// The map that faults is alive for as long as this runs: the read that touched the page
    /// borrows it.
    fn replace_page(address: *mut c_void, page_size: usize) -> bool {
        let Some(slot) = REGISTRY.iter().find(|slot| slot.holds(address.addr())) else {
            return false;
        };
        // Before the page is there: another thread that then reads the zeros finds the flag set.
        slot.faulted.store(true, SeqCst);
        let page = address.map_addr(|address| address & !page_size.wrapping_sub(1));
        // SAFETY: the page holds at least one byte of a map of ours, and a map owns every page
        // it touches; nobody holds a mutable reference into it.
        let mapped = unsafe {
            libc::mmap(
                page,
                page_size,
                libc::PROT_READ,
                libc::MAP_FIXED | libc::MAP_PRIVATE | libc::MAP_ANON,
                -1,
                0,
            )
        };
        mapped != libc::MAP_FAILED
    }

    /// Does what would have happened without our handler.
    fn pass_on(
        previous: &libc::sigaction,
        signal: c_int,
        info: *mut libc::siginfo_t,
        context: *mut c_void,
    ) {
        let handler = previous.sa_sigaction;
        // SIG_IGN too: a fault cannot be ignored, it would only repeat for ever.
        if handler == libc::SIG_DFL || handler == libc::SIG_IGN {
            fall_to_default();
        } else if previous.sa_flags & libc::SA_SIGINFO != 0 {
            type Handler = extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);
            // SAFETY: neither default nor ignore, so the address of a handler; with SA_SIGINFO
            // it has this signature.
            let handler = unsafe { std::mem::transmute::<libc::sighandler_t, Handler>(handler) };
            handler(signal, info, context);
        } else {
            type Handler = extern "C" fn(c_int);
            // SAFETY: as above; without SA_SIGINFO it has this signature.
            let handler = unsafe { std::mem::transmute::<libc::sighandler_t, Handler>(handler) };
            handler(signal);
        }
    }

    /// Ends the process by SIGBUS as soon as the handler returns.
    fn fall_to_default() {
        // SAFETY: both calls are async-signal-safe; SIGBUS is blocked until the handler returns.
        unsafe {
            libc::signal(libc::SIGBUS, libc::SIG_DFL);
            libc::raise(libc::SIGBUS);
        }
    }

    #[cfg(test)]
    mod tests {
        use super::{Map, SLOTS};
        use std::fs::File;
        use std::io::Write;
        use std::os::unix::process::ExitStatusExt;
        use std::process::{Command, ExitStatus};

        fn file_of(byte: u8, length: usize) -> File {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&vec![byte; length]).unwrap();
            file
        }

        fn sum(bytes: &[u8]) -> usize {
            bytes.iter().copied().map(usize::from).sum()
        }

        #[test]
        fn reading_a_file_cut_after_it_was_mapped_gives_zeros_and_the_flag() {
            let (file, other) = (file_of(1, 1 << 20), file_of(1, 1 << 20));
            let map = Map::new(&file, 1 << 20).unwrap();
            let untouched = Map::new(&other, 1 << 20).unwrap();
            file.set_len(100_000).unwrap();
            // The last page that is still there is filled up with zeros: no fault, no flag.
            assert_eq!(sum(&map.as_slice()[..100_100]), 100_000);
            assert!(!map.faulted());
            assert_eq!(sum(map.as_slice()), 100_000);
            assert!(map.faulted());
            assert_eq!(sum(untouched.as_slice()), 1 << 20);
            assert!(!untouched.faulted());
        }

        #[test]
        fn an_empty_file_is_an_empty_slice() {
            let map = Map::new(&file_of(1, 0), 0).unwrap();
            assert!(map.as_slice().is_empty() && !map.faulted());
        }

        #[test]
        fn faults_of_many_threads_reach_the_right_maps() {
            std::thread::scope(|scope| {
                for thread in 0..4 {
                    scope.spawn(move || {
                        for round in 0..50 {
                            let (file, length) = (file_of(1, 20_000), 20_000);
                            let map = Map::new(&file, length).unwrap();
                            let cut = (thread + round) % 2 == 0;
                            if cut {
                                file.set_len(0).unwrap();
                            }
                            assert_eq!(sum(map.as_slice()), if cut { 0 } else { 20_000 });
                            assert_eq!(map.faulted(), cut);
                        }
                    });
                }
            });
        }

        const TASK: &str = "KFSCK_MAP_TEST_TASK";

        /// Runs `child` with a task in a process of its own.
        fn run(task: &str) -> ExitStatus {
            let (_, module) = module_path!().split_once("::").unwrap();
            let output = Command::new(std::env::current_exe().unwrap())
                .args([&format!("{module}::child"), "--exact", "--ignored"])
                .env(TASK, task)
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(said.contains("running 1 test"), "{said}");
            output.status
        }

        #[test]
        #[ignore = "the body of the tests below, in a process of its own"]
        fn child() {
            let Ok(task) = std::env::var(TASK) else {
                return;
            };
            let file = file_of(1, 1 << 20);
            let map = Map::new(&file, 1 << 20).unwrap();
            if task == "fault in a stranger's map" {
                let stranger = file_of(1, 1 << 20);
                // SAFETY: the slice is read only here, to raise SIGBUS.
                let mapping = unsafe { memmap2::Mmap::map(&stranger) }.unwrap();
                stranger.set_len(0).unwrap();
                assert_eq!(sum(&mapping), 0, "unreachable: the read ends the process");
            } else {
                let more: Vec<_> = (1..SLOTS).map_while(|_| Map::new(&file, 9)).collect();
                assert_eq!(more.len(), SLOTS - 1);
                assert!(Map::new(&file, 9).is_none());
                drop(more);
                assert!(Map::new(&file, 9).is_some());
            }
            drop(map);
        }

        #[test]
        fn a_fault_in_a_map_that_is_not_ours_still_ends_the_process() {
            assert_eq!(
                run("fault in a stranger's map").signal(),
                Some(libc::SIGBUS)
            );
        }

        #[test]
        fn one_map_more_than_the_registry_holds_is_refused() {
            assert!(run("fill the registry").success());
        }
    }
}
