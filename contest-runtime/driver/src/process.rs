//! What the driver does to its own process before anything else: the same addresses in every run, limits, standard
//! streams.

use std::ffi::{CString, c_int};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::ptr;

use contest_engine::memory::mapping::Region;

/// Set for the second start of the process, so that it never starts itself more than once.
pub(crate) const RESTARTED_VARIABLE: &str = "CONTEST_ADDRESSES_FIXED";
/// Private descriptors are moved up here, away from numbers that code under test may expect to get.
const PRIVATE_DESCRIPTORS: c_int = 200;
/// Address space beside the arena's reservation.
const ADDRESS_SPACE_BYTES: usize = 16 << 30;

/// Turns address space randomisation off, which takes a new start of the process: the first thing main does.
///
/// # Errors
/// Says why it could not be done. Results hold all the same, but code that depends on addresses of statics may not
/// replay.
pub fn fix_addresses() -> Result<(), String> {
    const QUERY: libc::c_ulong = 0xffff_ffff;
    // SAFETY: `personality` takes flags and touches no memory.
    let persona = unsafe { libc::personality(QUERY) };
    if persona == -1 {
        return Err(refused());
    }
    if persona & libc::ADDR_NO_RANDOMIZE != 0 {
        return Ok(());
    }
    if std::env::var_os(RESTARTED_VARIABLE).is_some() {
        return Err("addresses are not fixed: the kernel did not keep the setting".into());
    }
    // SAFETY: `personality` takes flags and touches no memory.
    if unsafe { libc::personality((persona | libc::ADDR_NO_RANDOMIZE) as libc::c_ulong) } == -1 {
        return Err(refused());
    }
    Err(format!("addresses are not fixed: {}", start_again()))
}

fn refused() -> String {
    format!(
        "addresses are not fixed: personality(2) is refused ({}), as in some containers",
        std::io::Error::last_os_error()
    )
}

/// Starts this executable again in this process; comes back only with an error.
fn start_again() -> std::io::Error {
    let c_strings = |strings: &mut dyn Iterator<Item = Vec<u8>>| -> Vec<CString> {
        strings
            .filter_map(|bytes| CString::new(bytes).ok())
            .collect()
    };
    let arguments = c_strings(&mut std::env::args_os().map(OsStringExt::into_vec));
    let variables = c_strings(
        &mut std::env::vars_os()
            .chain([(RESTARTED_VARIABLE.into(), "1".into())])
            .map(|(name, value)| [name.into_vec(), vec![b'='], value.into_vec()].concat()),
    );
    let pointers = |strings: &[CString]| -> Vec<*const libc::c_char> {
        strings
            .iter()
            .map(|it| it.as_ptr())
            .chain([ptr::null()])
            .collect()
    };
    let (arguments, variables) = (pointers(&arguments), pointers(&variables));
    // SAFETY: null-terminated arrays of C strings that live until the call ends.
    unsafe {
        libc::execve(
            c"/proc/self/exe".as_ptr(),
            arguments.as_ptr(),
            variables.as_ptr(),
        )
    };
    std::io::Error::last_os_error()
}

/// No core files, and an end to growth outside the arena (C code, the tool's own leaks) before the machine suffers.
pub(crate) fn limit_resources(region: Region) {
    for (resource, bytes) in [
        (libc::RLIMIT_CORE, 0),
        (libc::RLIMIT_AS, region.length + ADDRESS_SPACE_BYTES),
    ] {
        let mut limit = libc::rlimit {
            rlim_cur: 0,
            rlim_max: 0,
        };
        // SAFETY: places of our own. A limit that cannot be set (a lower one is there) leaves what is there.
        unsafe {
            if libc::getrlimit(resource, &raw mut limit) == 0 {
                limit.rlim_cur = limit.rlim_max.min(bytes as libc::rlim_t);
                libc::setrlimit(resource, &raw const limit);
            }
        }
    }
}

/// The standard streams the process was started with.
#[derive(Debug)]
pub(crate) struct Streams {
    /// Where the request comes from.
    pub requests: OwnedFd,
    /// Where replies go.
    pub replies: OwnedFd,
}

/// True if something can be read without waiting, or the other end is closed.
pub(crate) fn is_readable(file: &impl AsRawFd) -> bool {
    let mut wanted = libc::pollfd {
        fd: file.as_raw_fd(),
        events: libc::POLLIN,
        revents: 0,
    };
    // SAFETY: one structure, which is ours.
    unsafe { libc::poll(&raw mut wanted, 1, 0) > 0 }
}

/// Moves the standard streams out of reach of code under test: its input is empty, and what it prints goes to the
/// original standard error if `show_output`, else nowhere.
pub(crate) fn take_streams(show_output: bool) -> std::io::Result<Streams> {
    let streams = Streams {
        requests: duplicate(0)?,
        replies: duplicate(1)?,
    };
    // SAFETY: opens a file and moves descriptors; 0 to 2 are ours to replace.
    unsafe {
        let null = check(libc::open(
            c"/dev/null".as_ptr(),
            libc::O_RDWR | libc::O_CLOEXEC,
        ))?;
        check(libc::dup2(null, 0))?;
        check(libc::dup2(if show_output { 2 } else { null }, 1))?;
        if !show_output {
            check(libc::dup2(null, 2))?;
        }
        if null > 2 {
            libc::close(null);
        }
    }
    Ok(streams)
}

fn duplicate(descriptor: c_int) -> std::io::Result<OwnedFd> {
    // SAFETY: makes a new descriptor, which nothing else owns. If so high a number is not allowed, any number will do.
    unsafe {
        let copy = libc::fcntl(descriptor, libc::F_DUPFD_CLOEXEC, PRIVATE_DESCRIPTORS);
        let copy = if copy == -1 {
            check(libc::fcntl(descriptor, libc::F_DUPFD_CLOEXEC, 3))?
        } else {
            copy
        };
        Ok(OwnedFd::from_raw_fd(copy))
    }
}

/// Maps the black box named by the environment, or memory that is never read if there is none.
pub(crate) fn map_black_box(path: Option<&std::ffi::OsStr>) -> std::io::Result<*mut u8> {
    use std::os::fd::AsRawFd;
    let size = contest_data::protocol::black_box::SIZE;
    let file = path
        .map(|path| {
            let file = std::fs::OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(path)?;
            file.set_len(size as u64)?;
            Ok::<_, std::io::Error>(file)
        })
        .transpose()?;
    let (flags, descriptor) = match &file {
        Some(file) => (libc::MAP_SHARED, file.as_raw_fd()),
        None => (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1),
    };
    // SAFETY: a new mapping, of a file that was just made long enough.
    let at = unsafe {
        libc::mmap(
            ptr::null_mut(),
            size,
            libc::PROT_READ | libc::PROT_WRITE,
            flags,
            descriptor,
            0,
        )
    };
    if at == libc::MAP_FAILED {
        return Err(std::io::Error::last_os_error());
    }
    Ok(at.cast())
}

/// Maps a file for the rest of the process: of a large one only the pages that are used are read.
///
/// # Errors
/// If it cannot be opened or mapped, or is empty.
pub(crate) fn map_file(path: &std::path::Path) -> std::io::Result<&'static [u8]> {
    use std::os::fd::AsRawFd;
    let file = std::fs::File::open(path)?;
    let size = usize::try_from(file.metadata()?.len()).map_err(std::io::Error::other)?;
    // SAFETY: a new mapping that is only read.
    let at = unsafe {
        libc::mmap(
            ptr::null_mut(),
            size,
            libc::PROT_READ,
            libc::MAP_PRIVATE,
            file.as_raw_fd(),
            0,
        )
    };
    if at == libc::MAP_FAILED {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: the mapping has this size and is never unmapped. Executables of drivers are replaced, never changed.
    Ok(unsafe { std::slice::from_raw_parts(at.cast(), size) })
}

fn check(result: c_int) -> std::io::Result<c_int> {
    if result == -1 {
        Err(std::io::Error::last_os_error())
    } else {
        Ok(result)
    }
}

/// Ends the process at once: no destructors, no exit handlers.
pub(crate) fn end(status: i32) -> ! {
    // SAFETY: ends the process.
    unsafe { libc::_exit(status) }
}
