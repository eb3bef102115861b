//! Compact forms of the data that the component brings: a catalog without its comment lines, a profile without the
//! blanks between its tokens. The files in `data/` stay the one source; the component need not carry their layout.

use std::{env, fs, io, path::Path};

fn main() -> io::Result<()> {
    let out = env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?;
    for (folder, compact) in [("catalogs", without_comments as fn(&str) -> String), ("profiles", without_blanks)] {
        let data = Path::new("data").join(folder);
        println!("cargo::rerun-if-changed={}", data.display());
        let made = Path::new(&out).join(folder);
        fs::create_dir_all(&made)?;
        for entry in fs::read_dir(&data)? {
            let path = entry?.path();
            if let Some(name) = path.file_name() {
                fs::write(made.join(name), compact(&fs::read_to_string(&path)?))?;
            }
        }
    }
    Ok(())
}

/// YAML without block scalars: no line of a text begins with `#`. It is indented by one blank instead of two.
fn without_comments(yaml: &str) -> String {
    let kept = yaml.lines().filter(|line| !line.trim_start().starts_with('#') && !line.trim().is_empty());
    kept.flat_map(|line| [&line[(line.len() - line.trim_start().len()) / 2..], "\n"]).collect()
}

fn without_blanks(json: &str) -> String {
    let (mut in_text, mut escaped) = (false, false);
    let kept = json.chars().filter(|character| {
        in_text ^= *character == '"' && !escaped;
        escaped = *character == '\\' && !escaped;
        in_text || !character.is_ascii_whitespace()
    });
    kept.collect()
}
