//! The functions by their names in C.

/// Defines, in the driver's `main.rs`, the global allocator and the functions that stand in for libc's. They must be in
/// the executable's own source: only there do they come before the shared library's.
#[macro_export]
macro_rules! driver_symbols {
    () => {
        // Drivers are compiled with the facade, whose attribute of this name registers nothing.
        #[$crate::global_allocator]
        static CONTEST_ALLOCATOR: $crate::DriverAllocator = $crate::DriverAllocator;

        #[allow(
            clippy::missing_safety_doc,
            clippy::too_many_arguments,
            missing_docs,
            unreachable_pub,
            unused_unsafe,
            reason = "C functions of libc's names"
        )]
        mod contest_symbols {
            use ::core::ffi::{c_char, c_int, c_long, c_uint, c_void};
            use $crate::symbols::{
                clockid_t, epoll_event, id_t, iovec, nfds_t, pid_t, pollfd, pthread_mutex_t,
                pthread_t, rusage, siginfo_t, sigset_t, sockaddr, socklen_t, time_t, timespec,
                timeval,
            };

            $crate::define_symbols! {
                clock_gettime(clock: clockid_t, time: *mut timespec) -> c_int;
                gettimeofday(time: *mut timeval, zone: *mut c_void) -> c_int;
                time(place: *mut time_t) -> time_t;
                nanosleep(request: *const timespec, remaining: *mut timespec) -> c_int;
                clock_nanosleep(
                    clock: clockid_t,
                    flags: c_int,
                    request: *const timespec,
                    remaining: *mut timespec
                ) -> c_int;
                sched_yield() -> c_int;
                getrandom(buffer: *mut c_void, length: usize, flags: c_uint) -> isize;

                // libc declares `open64`, `fcntl` and `syscall` variadic; with integers and pointers only, the calling
                // convention is the same on both targets.
                open64(path: *const c_char, flags: c_int, mode: c_uint) -> c_int;
                unlink(path: *const c_char) -> c_int;
                mkdir(path: *const c_char, mode: c_uint) -> c_int;
                rename(from: *const c_char, to: *const c_char) -> c_int;
                openat64(
                    directory: c_int,
                    path: *const c_char,
                    flags: c_int,
                    mode: c_uint
                ) -> c_int;
                unlinkat(directory: c_int, path: *const c_char, flags: c_int) -> c_int;
                rmdir(path: *const c_char) -> c_int;
                symlink(target: *const c_char, link: *const c_char) -> c_int;
                linkat(
                    old_directory: c_int,
                    old: *const c_char,
                    new_directory: c_int,
                    new: *const c_char,
                    flags: c_int
                ) -> c_int;
                statx(
                    directory: c_int,
                    path: *const c_char,
                    flags: c_int,
                    mask: c_uint,
                    place: *mut c_void
                ) -> c_int;
                utimensat(
                    directory: c_int,
                    path: *const c_char,
                    times: *const timespec,
                    flags: c_int
                ) -> c_int;
                futimens(descriptor: c_int, times: *const timespec) -> c_int;
                readlink(path: *const c_char, buffer: *mut c_char, length: usize) -> isize;
                realpath(path: *const c_char, buffer: *mut c_char) -> *mut c_char;
                opendir(path: *const c_char) -> *mut c_void;
                readdir64(directory: *mut c_void) -> *mut c_void;
                closedir(directory: *mut c_void) -> c_int;
                rewinddir(directory: *mut c_void) -> ();
                getcwd(buffer: *mut c_char, length: usize) -> *mut c_char;
                pthread_mutex_lock(mutex: *mut pthread_mutex_t) -> c_int;
                pthread_mutex_trylock(mutex: *mut pthread_mutex_t) -> c_int;
                pthread_mutex_unlock(mutex: *mut pthread_mutex_t) -> c_int;

                posix_spawn(
                    process: *mut pid_t,
                    path: *mut c_void,
                    actions: *mut c_void,
                    attributes: *mut c_void,
                    argv: *mut c_void,
                    environment: *mut c_void
                ) -> c_int;
                posix_spawnp(
                    process: *mut pid_t,
                    path: *mut c_void,
                    actions: *mut c_void,
                    attributes: *mut c_void,
                    argv: *mut c_void,
                    environment: *mut c_void
                ) -> c_int;
                fork() -> pid_t;
                wait(status: *mut c_int) -> pid_t;
                waitpid(process: pid_t, status: *mut c_int, options: c_int) -> pid_t;
                wait4(
                    process: pid_t,
                    status: *mut c_int,
                    options: c_int,
                    usage: *mut rusage
                ) -> pid_t;
                waitid(
                    kind: c_int,
                    number: id_t,
                    info: *mut siginfo_t,
                    options: c_int
                ) -> c_int;
                flock(descriptor: c_int, operation: c_int) -> c_int;

                getenv(name: *const c_char) -> *mut c_char;
                setenv(name: *const c_char, value: *const c_char, replace: c_int) -> c_int;
                unsetenv(name: *const c_char) -> c_int;
                chdir(path: *const c_char) -> c_int;
                fchdir(directory: c_int) -> c_int;
                sigaction(signal: c_int, action: *const c_void, before: *mut c_void) -> c_int;
                signal(signal: c_int, handler: usize) -> usize;
                pthread_kill(thread: pthread_t, signal: c_int) -> c_int;

                epoll_create1(flags: c_int) -> c_int;
                epoll_ctl(
                    epoll: c_int,
                    operation: c_int,
                    descriptor: c_int,
                    event: *mut epoll_event
                ) -> c_int;
                epoll_wait(
                    epoll: c_int,
                    events: *mut epoll_event,
                    most: c_int,
                    timeout: c_int
                ) -> c_int;
                epoll_pwait(
                    epoll: c_int,
                    events: *mut epoll_event,
                    most: c_int,
                    timeout: c_int,
                    mask: *const sigset_t
                ) -> c_int;
                epoll_pwait2(
                    epoll: c_int,
                    events: *mut epoll_event,
                    most: c_int,
                    timeout: *const timespec,
                    mask: *const sigset_t
                ) -> c_int;
                poll(entries: *mut pollfd, length: nfds_t, timeout: c_int) -> c_int;
                ppoll(
                    entries: *mut pollfd,
                    length: nfds_t,
                    timeout: *const timespec,
                    mask: *const sigset_t
                ) -> c_int;
                inotify_init() -> c_int;
                inotify_init1(flags: c_int) -> c_int;
                eventfd(value: c_uint, flags: c_int) -> c_int;
                timerfd_create(clock: c_int, flags: c_int) -> c_int;
                pipe(pair: *mut c_int) -> c_int;
                dup(descriptor: c_int) -> c_int;
                dup2(descriptor: c_int, place: c_int) -> c_int;
                dup3(descriptor: c_int, place: c_int, flags: c_int) -> c_int;
                pipe2(pair: *mut c_int, flags: c_int) -> c_int;
                socket(domain: c_int, kind: c_int, protocol: c_int) -> c_int;
                socketpair(domain: c_int, kind: c_int, protocol: c_int, pair: *mut c_int) -> c_int;
                bind(socket: c_int, address: *const sockaddr, length: socklen_t) -> c_int;
                connect(socket: c_int, address: *const sockaddr, length: socklen_t) -> c_int;
                accept4(
                    socket: c_int,
                    address: *mut sockaddr,
                    length: *mut socklen_t,
                    flags: c_int
                ) -> c_int;
                fcntl(descriptor: c_int, command: c_int, argument: c_long) -> c_int;
                close(descriptor: c_int) -> c_int;
                read(descriptor: c_int, buffer: *mut c_void, length: usize) -> isize;
                write(descriptor: c_int, buffer: *const c_void, length: usize) -> isize;
                readv(descriptor: c_int, parts: *const iovec, count: c_int) -> isize;
                writev(descriptor: c_int, parts: *const iovec, count: c_int) -> isize;
                recvfrom(
                    socket: c_int,
                    buffer: *mut c_void,
                    length: usize,
                    flags: c_int,
                    address: *mut sockaddr,
                    size: *mut socklen_t
                ) -> isize;
                sendto(
                    socket: c_int,
                    buffer: *const c_void,
                    length: usize,
                    flags: c_int,
                    address: *const sockaddr,
                    size: socklen_t
                ) -> isize;
                recv(socket: c_int, buffer: *mut c_void, length: usize, flags: c_int) -> isize;
                send(socket: c_int, buffer: *const c_void, length: usize, flags: c_int) -> isize;

                syscall(
                    number: c_long,
                    a: c_long,
                    b: c_long,
                    c: c_long,
                    d: c_long,
                    e: c_long,
                    f: c_long
                ) -> c_long;
            }
        }
    };
}

/// A part of [`driver_symbols`]: functions of libc's names that call those of [`symbols`](crate::symbols).
#[doc(hidden)]
#[macro_export]
macro_rules! define_symbols {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> $result {
            // SAFETY: the caller keeps the contract of the C function, which is that of this one.
            unsafe { $crate::symbols::$name($($argument),*) }
        }
    )*};
}
