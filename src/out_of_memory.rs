//! The end of the program where memory cannot be had: one line, and exit code 1.
//!
//! The standard library would abort. The signal of an abort makes MPI print the stack, which takes locks and memory
//! itself and may therefore wait forever. Nothing here asks for memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::Write;
use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicBool, Ordering};

/// The allocator of the system, but the program ends where that has no memory.
struct OrEnd;

#[global_allocator]
static ALLOCATOR: OrEnd = OrEnd;

// SAFETY: all memory is that of `System`, which gets the same arguments.
unsafe impl GlobalAlloc for OrEnd {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller promises what `System` asks for.
        or_end(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        or_end(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, address: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        or_end(unsafe { System.realloc(address, layout, size) }, size)
    }

    unsafe fn dealloc(&self, address: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(address, layout) }
    }
}

/// Returns the address of new memory of this size in bytes; ends the program if it is null.
fn or_end(address: *mut u8, bytes: usize) -> *mut u8 {
    if address.is_null() {
        end(bytes);
    }
    address
}

/// Ends the program, at once and without the work that is done at an orderly exit.
#[cold]
fn end(bytes: usize) -> ! {
    static ENDING: AtomicBool = AtomicBool::new(false);
    // Of threads that fail at the same time one says so.
    if !ENDING.swap(true, Ordering::SeqCst) {
        let mut line = Line {
            text: [0; 200],
            length: 0,
        };
        let _ = writeln!(
            line,
            "error: out of memory: {bytes} bytes cannot be had; `fr-les check` reports what a case needs"
        );
        // SAFETY: standard error is open for as long as the program runs; if it was closed, the system says so.
        let standard_error = unsafe { BorrowedFd::borrow_raw(2) };
        let _ = rustix::io::write(standard_error, &line.text[..line.length]);
    }
    signal_hook::low_level::exit(1)
}

/// A text of a fixed size.
struct Line {
    text: [u8; 200],
    length: usize,
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let end = self.length + text.len();
        let room = self.text.get_mut(self.length..end).ok_or(std::fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
}
