//! Makes a failing script shorter: lines that the failure does not need are taken away, in ever
//! smaller pieces, as long as the real code and ours still disagree.

/// Answers many scripts at once: which of them fail still.
pub(crate) type Judge<'a> = &'a mut dyn FnMut(&[Vec<String>]) -> Vec<bool>;

/// The shortest failing script that taking away lines leads to. All scripts of a round are judged
/// at once, as a call of the oracle costs more than the cases in it.
pub(crate) fn shortest(lines: Vec<String>, judge: Judge<'_>) -> Vec<String> {
    let mut lines = lines;
    let mut piece = lines.len().div_ceil(2).max(1);
    loop {
        let candidates: Vec<Vec<String>> = (0..lines.len())
            .step_by(piece)
            .map(|from| without(&lines, from, piece))
            .collect();
        let fails = judge(&candidates);
        let shorter = candidates.into_iter().zip(fails).find(|(_, fails)| *fails);
        match shorter {
            Some((shorter, _)) => {
                lines = shorter;
                piece = piece.min(lines.len()).max(1);
            }
            None if piece == 1 => return lines,
            None => piece = piece.div_ceil(2),
        }
        if lines.is_empty() {
            return lines;
        }
    }
}

fn without(lines: &[String], from: usize, count: usize) -> Vec<String> {
    let behind = lines.iter().skip(from.saturating_add(count));
    lines.iter().take(from).chain(behind).cloned().collect()
}

#[test]
fn only_the_lines_that_matter_are_left() {
    let lines: Vec<String> = (0..100).map(|number| number.to_string()).collect();
    let mut rounds = 0;
    let mut needs = |scripts: &[Vec<String>]| {
        rounds += 1;
        let needed = ["17", "18", "93"].map(str::to_owned);
        let fails = |script: &Vec<String>| needed.iter().all(|line| script.contains(line));
        scripts.iter().map(fails).collect()
    };
    assert_eq!(shortest(lines, &mut needs), ["17", "18", "93"]);
    assert!(rounds < 40, "{rounds}");
}

#[test]
fn what_fails_whatever_is_in_it_shrinks_to_nothing() {
    let lines: Vec<String> = (0..9).map(|number| number.to_string()).collect();
    let shrunk = shortest(lines, &mut |scripts| vec![true; scripts.len()]);
    assert!(shrunk.is_empty());
}
