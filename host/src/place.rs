//! Where a key stands in a text of YAML or JSON: its line and column, for people to look there. It judges nothing; the
//! component reads the files.

use granit_parser::{Event, Marker, Parser};

/// Line and column of the key at `path`, both counted from 1; none when it is not there, or the text cannot be read.
pub(crate) fn of_key(text: &str, path: &[&str]) -> Option<(u64, u64)> {
    let mut walk = Walk { events: Parser::new_from_str(text), wanted: path };
    walk.node(0)
}

struct Walk<'t, P> {
    events: P,
    wanted: &'t [&'t str],
}

impl<'t, P> Walk<'t, P>
where
    P: Iterator<Item = Result<(Event<'t>, granit_parser::Span), granit_parser::ScanError>>,
{
    /// The next event that is part of the content.
    fn next(&mut self) -> Option<(Event<'t>, Marker)> {
        loop {
            let (event, span) = self.events.next()?.ok()?;
            match event {
                Event::Comment(..) | Event::StreamStart | Event::DocumentStart(..) => {}
                event => return Some((event, span.start)),
            }
        }
    }

    /// Reads the node whose keys may be step `depth` of the path.
    fn node(&mut self, depth: usize) -> Option<(u64, u64)> {
        let (event, _) = self.next()?;
        self.rest_of(event, depth)
    }

    fn rest_of(&mut self, event: Event<'t>, depth: usize) -> Option<(u64, u64)> {
        if !matches!(event, Event::MappingStart(..)) {
            return self.skip(&event);
        }
        loop {
            let (key, at) = self.next()?;
            let is_wanted = match &key {
                Event::MappingEnd => return None,
                Event::Scalar(name, ..) => self.wanted.get(depth).is_some_and(|wanted| *wanted == name.as_ref()),
                _ => {
                    self.skip(&key);
                    false
                }
            };
            if is_wanted && depth + 1 == self.wanted.len() {
                return Some((at.line() as u64, at.col() as u64 + 1));
            }
            let (value, _) = self.next()?;
            if !is_wanted {
                self.skip(&value);
            } else if let Some(found) = self.rest_of(value, depth + 1) {
                return Some(found);
            }
        }
    }

    /// Reads what belongs to an event that has begun.
    fn skip(&mut self, event: &Event<'t>) -> Option<(u64, u64)> {
        let mut open = usize::from(matches!(event, Event::MappingStart(..) | Event::SequenceStart(..)));
        while open > 0 {
            match self.next()?.0 {
                Event::MappingStart(..) | Event::SequenceStart(..) => open += 1,
                Event::MappingEnd | Event::SequenceEnd => open -= 1,
                _ => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::of_key;

    #[test]
    fn a_key_is_found_by_its_path_in_yaml_and_in_json() {
        let yaml = "# one\na: {b: [x, {c: 1}]}\nbash:\n  timeout: 3 # c\n  enabled: true\n? [q]\n: r\nlast: 1\n";
        assert_eq!(of_key(yaml, &["bash", "enabled"]), Some((5, 3)));
        assert_eq!(of_key(yaml, &["a", "b"]), Some((2, 5)));
        assert_eq!(of_key(yaml, &["last"]), Some((8, 1)));
        assert_eq!(of_key(yaml, &["bash", "other"]), None);
        assert_eq!(of_key(yaml, &["enabled"]), None);
        assert_eq!(of_key("{\n  \"a\": {\n    \"b\": 1\n  }\n}\n", &["a", "b"]), Some((3, 5)));
        assert_eq!(of_key("a: [1", &["b"]), None);
        assert_eq!(of_key("", &["b"]), None);
    }
}
