//! What `std` and wit-bindgen would bring to a component: an allocator, the ABI's way to it, an end for panics, the way
//! in and out of exports, and a cell for the one session of an instance. The only `unsafe` of the guest.
//!
//! It holds no rule. Nothing here runs on any other target.
#![allow(unsafe_code)]

pub mod abi;
mod exports;

use core::{
    alloc::Layout,
    cell::{RefCell, RefMut},
};

use crate::apply::Session;

#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

// The allocator and comparisons of slices need memcpy, memcmp and their like.
#[link(name = "c")]
unsafe extern "C" {
    fn __wasm_call_ctors();
}

// A module without this is a program to the linker, which then wraps every export in the start and end of one.
/// How an instance begins: there is nothing to be done but what the linker knows of.
#[unsafe(no_mangle)]
extern "C" fn _initialize() {
    // SAFETY: the linker makes it, and an instance begins once.
    unsafe { __wasm_call_ctors() }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

/// How the caller of an export gets memory for its arguments. The component model requires this function; on this
/// target wit-bindgen leaves it to `std`, which is not here.
///
/// # Safety
/// As the canonical ABI has it: `old` is null, or came from here with this size and alignment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cabi_realloc(old: *mut u8, old_size: usize, align: usize, new_size: usize) -> *mut u8 {
    let Ok(layout) = Layout::from_size_align(old_size, align) else { core::arch::wasm32::unreachable() };
    // SAFETY: sizes of 0 are never handed to the allocator; otherwise see above.
    let pointer = unsafe {
        match (old_size, new_size) {
            (_, 0) => core::ptr::without_provenance_mut(align),
            (0, _) => alloc::alloc::alloc(Layout::from_size_align_unchecked(new_size, align)),
            _ => alloc::alloc::realloc(old, layout, new_size),
        }
    };
    if pointer.is_null() { core::arch::wasm32::unreachable() } else { pointer }
}

struct OneThread<T>(T);

// SAFETY: a component instance runs on one thread; this target has no others.
unsafe impl<T> Sync for OneThread<T> {}

static SESSION: OneThread<RefCell<Option<Session>>> = OneThread(RefCell::new(None));

/// The session of this instance; none while an export is already running, which the component model forbids anyway.
pub fn session() -> Option<RefMut<'static, Session>> {
    let session = SESSION.0.try_borrow_mut().ok()?;
    Some(RefMut::map(session, |session| session.get_or_insert_default()))
}
