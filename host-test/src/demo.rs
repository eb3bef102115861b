//! placeholder
use std::io::Write;
/// placeholder
/// # Errors
/// none
pub fn run(_out: &mut impl Write) -> Result<(), String> { Ok(()) }
