//! Snapshot of the executable's writable static data and of the main thread's thread-local block, and putting them
//! back.
//!
//! Covers the statics of the code under test, those of `std` and of everything else linked statically; shared libraries
//! (libc, the unwinder) are not touched. What may therefore not be a static: see the rules in [`memory`](super).

use std::fmt;
use std::ptr;
use std::sync::atomic::{Ordering::SeqCst, compiler_fence};

use super::startup_heap;

/// Unit of comparison.
const CHUNK: usize = 4096;
/// Above this size an area is compared before it is written, page by page: most of a large area never changes.
const COMPARE_ABOVE: usize = 64 << 10;

/// Why static data cannot be put back in this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnapshotError {
    /// The loader did not tell where the executable's segments are.
    NoProgramHeaders,
    /// The C library is part of the executable; putting its data back would break the system allocator.
    StaticLibc,
    /// No memory for the copy.
    NoMemory,
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoProgramHeaders => {
                "the loader does not tell where the driver's static data is"
            }
            Self::StaticLibc => {
                "the driver is linked statically with the C library; build for a target with a shared one (not `crt-static`)"
            }
            Self::NoMemory => "no memory for a copy of the driver's static data",
        })
    }
}

impl std::error::Error for SnapshotError {}

/// The bytes of every writable static of the executable, as they were.
#[derive(Debug)]
pub(super) struct StaticData {
    areas: Vec<Area>,
    thread_locals: Option<Area>,
}

#[derive(Clone, Copy, Debug)]
struct Area {
    live: *mut u8,
    saved: *const u8,
    length: usize,
}

impl StaticData {
    /// Copies the static data of the process as it is now, and closes the startup heap, which is part of it.
    ///
    /// # Errors
    /// If the data cannot be found or must not be put back.
    pub(super) fn snapshot() -> Result<Self, SnapshotError> {
        startup_heap::freeze();
        let mut segments = writable_ranges()?;
        if let (Some(start), Some(end)) = (
            segments.ranges.iter().map(|(start, _)| *start).min(),
            segments
                .ranges
                .iter()
                .map(|(start, length)| start + length)
                .max(),
        ) {
            super::shared::set_statics(start, end);
        }
        let (start, used) = startup_heap::used();
        if used > 0 {
            segments.ranges.push((start, used));
        }
        // Everything is allocated before anything is copied, so that no allocation is half in the copy.
        let mut areas = Vec::with_capacity(segments.ranges.len());
        for range in segments.ranges {
            areas.push(Area::new(range)?);
        }
        let thread_locals = segments.thread_locals.map(Area::new).transpose()?;
        for area in areas.iter().chain(&thread_locals) {
            // SAFETY: `live` is mapped, readable memory of the executable (program headers), `saved` a new mapping of
            // that length.
            unsafe {
                area.saved
                    .cast_mut()
                    .copy_from_nonoverlapping(area.live, area.length);
            }
        }
        Ok(Self {
            areas,
            thread_locals,
        })
    }

    /// Bytes under control.
    #[must_use]
    pub(super) fn bytes(&self) -> usize {
        self.areas
            .iter()
            .chain(&self.thread_locals)
            .map(|area| area.length)
            .sum()
    }

    /// Where it is: addresses and lengths.
    pub(super) fn ranges(&self) -> impl Iterator<Item = (usize, usize)> {
        self.areas
            .iter()
            .chain(&self.thread_locals)
            .map(|area| (area.live.addr(), area.length))
    }

    /// True for an address in it.
    pub(super) fn contains(&self, address: usize) -> bool {
        (self.ranges()).any(|(start, length)| (start..start + length).contains(&address))
    }

    /// Calls `look` with each piece of the static data that is not as it was in the snapshot.
    pub(super) fn changed(&self, mut look: impl FnMut(usize, &[u8])) {
        for area in self.areas.iter().chain(&self.thread_locals) {
            for start in (0..area.length).step_by(CHUNK) {
                let length = CHUNK.min(area.length - start);
                // SAFETY: both chunks are within their areas, which are mapped; the driver has one thread, and code
                // under test does not run.
                let (live, saved) = unsafe {
                    (
                        std::slice::from_raw_parts(area.live.add(start), length),
                        std::slice::from_raw_parts(area.saved.add(start), length),
                    )
                };
                if live != saved {
                    look(live.as_ptr().addr(), live);
                }
            }
        }
    }

    /// Puts every byte back.
    #[inline(never)]
    pub(super) fn restore(&self) {
        compiler_fence(SeqCst);
        for area in self.areas.iter().chain(&self.thread_locals) {
            // SAFETY: as in `snapshot`; the driver has one thread and holds no reference into static data across this
            // call (rules of the module), and what `std` keeps there is valid in the state of the snapshot.
            unsafe { area.restore() };
        }
        compiler_fence(SeqCst);
    }

    /// Puts thread-locals back only: what the tool's own use of `std` changes between executions (hash seeds) is there.
    #[inline(never)]
    pub(super) fn restore_thread_locals(&self) {
        compiler_fence(SeqCst);
        if let Some(area) = &self.thread_locals {
            // SAFETY: the driver has one thread and holds no reference into thread-locals across this call, and what
            // `std` keeps there is valid in the state of the snapshot.
            unsafe { area.restore() };
        }
        compiler_fence(SeqCst);
    }
}

impl Area {
    fn new((start, length): (usize, usize)) -> Result<Self, SnapshotError> {
        Ok(Self {
            live: ptr::with_exposed_provenance_mut(start),
            saved: map(length)?,
            length,
        })
    }

    /// # Safety
    /// No other thread runs, no reference into the area is held, and its contents are valid in the state of the
    /// snapshot.
    unsafe fn restore(&self) {
        if self.length <= COMPARE_ABOVE {
            // SAFETY: both areas have this length; by this function's contract the live one may be overwritten.
            unsafe { self.live.copy_from_nonoverlapping(self.saved, self.length) };
            return;
        }
        for start in (0..self.length).step_by(CHUNK) {
            let length = CHUNK.min(self.length - start);
            // SAFETY: both chunks are within their areas; by this function's contract the live one may be overwritten.
            unsafe {
                let (live, saved) = (self.live.add(start), self.saved.add(start));
                if libc::memcmp(live.cast(), saved.cast(), length) != 0 {
                    live.copy_from_nonoverlapping(saved, length);
                }
            }
        }
    }
}

/// Where the executable was loaded: what is added to the addresses of its file.
pub(super) fn executable_start() -> usize {
    unsafe extern "C" fn read(
        info: *mut libc::dl_phdr_info,
        _size: libc::size_t,
        start: *mut libc::c_void,
    ) -> libc::c_int {
        // SAFETY: the loader passes a valid description, and our own pointer back. The executable comes first.
        unsafe { *start.cast::<usize>() = (*info).dlpi_addr as usize };
        1
    }
    let mut start = 0_usize;
    // SAFETY: the callback gets the pointer given here, for the duration of the call.
    unsafe { libc::dl_iterate_phdr(Some(read), (&raw mut start).cast()) };
    start
}

fn map(length: usize) -> Result<*const u8, SnapshotError> {
    // SAFETY: a new anonymous mapping.
    let at = unsafe {
        libc::mmap(
            ptr::null_mut(),
            length,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    if at == libc::MAP_FAILED {
        return Err(SnapshotError::NoMemory);
    }
    Ok(at.cast())
}

/// What the loader reports of the executable, in fixed arrays: nothing may be allocated while it holds its lock.
#[derive(Default)]
struct Segments {
    writable: [(usize, usize); 16],
    writables: usize,
    loaded: [(usize, usize); 32],
    loadeds: usize,
    read_only: (usize, usize),
    thread_local: (usize, usize),
    found: bool,
    page: usize,
}

/// Addresses and lengths of what can change.
struct Writable {
    ranges: Vec<(usize, usize)>,
    thread_locals: Option<(usize, usize)>,
}

fn writable_ranges() -> Result<Writable, SnapshotError> {
    let mut segments = Segments {
        // SAFETY: a question to the C library.
        page: unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize,
        ..Segments::default()
    };
    // SAFETY: the callback gets the pointer given here, for the duration of the call.
    unsafe { libc::dl_iterate_phdr(Some(read_executable), (&raw mut segments).cast()) };
    if !segments.found || segments.writables == 0 {
        return Err(SnapshotError::NoProgramHeaders);
    }
    // SAFETY: a look-up by name.
    let malloc = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"malloc".as_ptr()) }.addr();
    let in_executable = |address: usize| {
        segments.loaded[..segments.loadeds]
            .iter()
            .any(|&(start, end)| (start..end).contains(&address))
    };
    if malloc == 0 || in_executable(malloc) {
        return Err(SnapshotError::StaticLibc);
    }
    let mut ranges = Vec::with_capacity(20);
    let (hole_start, hole_end) = segments.read_only;
    for &(start, end) in &segments.writable[..segments.writables] {
        for (start, end) in [(start, end.min(hole_start)), (start.max(hole_end), end)] {
            if start < end {
                ranges.push((start, end - start));
            }
        }
    }
    let (start, end) = segments.thread_local;
    Ok(Writable {
        ranges,
        thread_locals: (start < end).then_some((start, end - start)),
    })
}

unsafe extern "C" fn read_executable(
    info: *mut libc::dl_phdr_info,
    _size: libc::size_t,
    segments: *mut libc::c_void,
) -> libc::c_int {
    // SAFETY: the loader passes a valid description, and our own pointer back.
    let (info, segments) = unsafe { (&*info, &mut *segments.cast::<Segments>()) };
    // The executable comes first, and stopping there keeps it so.
    segments.found = true;
    // SAFETY: the loader's array of program headers.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
    for header in headers {
        let start = (info.dlpi_addr + header.p_vaddr) as usize;
        let end = start + header.p_memsz as usize;
        match header.p_type {
            libc::PT_LOAD => {
                if segments.loadeds < segments.loaded.len() {
                    segments.loaded[segments.loadeds] = (start, end);
                    segments.loadeds += 1;
                }
                if header.p_flags & libc::PF_W != 0 && segments.writables < segments.writable.len()
                {
                    segments.writable[segments.writables] = (start, end);
                    segments.writables += 1;
                }
            }
            // Only whole pages of it are made read-only.
            libc::PT_GNU_RELRO => {
                let page = segments.page;
                segments.read_only = (start & !(page - 1), end & !(page - 1));
            }
            libc::PT_TLS => {
                let block = info.dlpi_tls_data.addr();
                if block != 0 {
                    segments.thread_local = (block, block + header.p_memsz as usize);
                }
            }
            _ => {}
        }
    }
    1
}
