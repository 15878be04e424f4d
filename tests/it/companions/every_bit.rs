//! Each bit of each file beside a log: none makes the check fail, and what is changed is told.

use kfsck::analysis::log_findings::Severity;

use super::scene::Scene;

/// The bits of a file that nobody misses, as byte and bit.
fn silent_flips(scene: &Scene, name: &str) -> Vec<(usize, u8)> {
    let sound = scene.read(name);
    let mut silent = Vec::new();
    for at in 0..sound.len() {
        for bit in 0..8 {
            let mut changed = sound.clone();
            changed[at] ^= 1 << bit;
            scene.write(name, &changed);
            if scene.told().is_empty() {
                silent.push((at, bit));
            }
        }
    }
    scene.write(name, &sound);
    silent
}

#[test]
fn a_flipped_bit_in_an_index_is_told() {
    let scene = Scene::of("txn-both-0");
    // Relative offset and position: an offset may be that of a later batch, as old brokers had it.
    for (at, bit) in silent_flips(&scene, "00000000000000000000.index") {
        assert!(at % 8 < 4, "{at}.{bit}");
        assert!(at % 8 == 3, "{at}.{bit}");
    }
    // Timestamp and relative offset, which may be another one of the same batch.
    for (at, bit) in silent_flips(&scene, "00000000000000000000.timeindex") {
        assert!(at % 12 == 11, "{at}.{bit}");
    }
    // The last stable offset.
    for (at, bit) in silent_flips(&scene, "00000000000000000048.txnindex") {
        assert!((26..34).contains(&(at % 34)), "{at}.{bit}");
    }
}

#[test]
fn any_bytes_whatever_are_judged() {
    let scene = Scene::of("txn-both-0");
    let mut dice: u32 = 7;
    let mut told = 0;
    for name in [
        "00000000000000000048.index",
        "00000000000000000048.timeindex",
        "00000000000000000048.txnindex",
        "leader-epoch-checkpoint",
        "partition.metadata",
    ] {
        let sound = scene.read(name);
        for length in 0..sound.len() {
            scene.write(name, &sound[..length]);
            let _ = scene.told();
            let noise = (0..length + 1).map(|_| {
                dice = dice.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                dice.to_be_bytes()[0]
            });
            scene.write(name, &noise.collect::<Vec<_>>());
            let worst = scene.told().into_iter().map(|told| told.0).max();
            told += usize::from(worst == Some(Severity::Error));
        }
        scene.write(name, &sound);
    }
    assert!(told > 150, "{told}");
    assert_eq!(scene.told(), []);
}
