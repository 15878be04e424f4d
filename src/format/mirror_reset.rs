//! The value of a MIRROR_PID_RESET record, the barrier of Cluster Mirroring (KIP-1279).
//!
//! ```text
//! layout A:  | version i16 | source cluster id, compact text | tagged fields |
//! layout B:  | version i16 | tagged fields |                        always the bytes 00 00 00
//! ```
//!
//! The design is in no release and changed its layout without changing its version, so the length
//! tells: a value of 3 bytes is layout B, a longer one layout A. What is neither is kept as it is:
//! it stands for the same barrier. The cluster id is free text (KIP-78), never parsed.

use super::cursor::Cursor;
use super::flexible::{TaggedField, put_tagged_fields, put_text, read_tagged_fields, read_text};
use super::malformed::{Malformed, Problem};

/// The length of a value in layout B, in bytes.
pub const BARE_SIZE: usize = size_of::<i16>() + size_of::<u8>();

/// What a barrier says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MirrorPidReset {
    /// Layout A: which cluster was mirrored.
    Sourced {
        /// The version, 0 so far.
        version: i16,
        /// The id of the source cluster, free text, as its bytes.
        source_cluster_id: Vec<u8>,
        /// Fields of a later version.
        tagged_fields: Vec<TaggedField>,
    },
    /// Layout B: the barrier alone.
    Bare {
        /// The version, 0 so far.
        version: i16,
    },
    /// Neither layout.
    Unknown {
        /// The value as found; `None` for null.
        value: Option<Vec<u8>>,
        /// Why it is not layout A.
        fault: Malformed,
    },
}

impl MirrorPidReset {
    /// Reads a value of any layout. Nothing is an error: see [`MirrorPidReset::Unknown`].
    #[must_use]
    pub fn decode(value: Option<&[u8]>) -> Self {
        let Some(bytes) = value else {
            let problem = Problem::Null;
            let fault = Malformed {
                field: "value",
                at: 0,
                problem,
            };
            return Self::Unknown { value: None, fault };
        };
        if let [high, low, 0] = *bytes {
            let version = i16::from_be_bytes([high, low]);
            return Self::Bare { version };
        }
        read_sourced(bytes).unwrap_or_else(|fault| Self::Unknown {
            value: Some(bytes.to_vec()),
            fault,
        })
    }

    /// The bytes of the value; `None` for null.
    #[must_use]
    pub fn encode(&self) -> Option<Vec<u8>> {
        match self {
            Self::Sourced {
                version,
                source_cluster_id,
                tagged_fields,
            } => {
                let mut out = version.to_be_bytes().to_vec();
                put_text(source_cluster_id, &mut out);
                put_tagged_fields(tagged_fields, &mut out);
                Some(out)
            }
            Self::Bare { version } => {
                let mut out = version.to_be_bytes().to_vec();
                put_tagged_fields(&[], &mut out);
                Some(out)
            }
            Self::Unknown { value, .. } => value.clone(),
        }
    }
}

fn read_sourced(bytes: &[u8]) -> Result<MirrorPidReset, Malformed> {
    let mut cursor = Cursor::new(bytes);
    let version = cursor.i16("version")?;
    let source_cluster_id = read_text(&mut cursor, "sourceClusterId")?;
    let tagged_fields = read_tagged_fields(&mut cursor)?;
    if cursor.remaining() > 0 {
        // A layout nobody has seen yet: showing half of it as layout A would mislead.
        let bytes = u64::try_from(cursor.remaining()).unwrap_or(u64::MAX);
        return Err(cursor.fault("taggedFields", Problem::Trailing { bytes }));
    }
    Ok(MirrorPidReset::Sourced {
        version,
        source_cluster_id,
        tagged_fields,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::damage::{assert_inside, bit_flips, hex, truncations};

    /// Both layouts as the design's records are drawn, byte by byte.
    const LAYOUT_A: &str = "0000 17 4142 4569 4d30 5256 5a6e 6549 6d61 7137 7a4e 3375 5f77 00";
    const LAYOUT_B: &str = "0000 00";

    #[test]
    fn both_layouts() {
        let sourced = hex(LAYOUT_A);
        assert_eq!(
            MirrorPidReset::decode(Some(&sourced)),
            MirrorPidReset::Sourced {
                version: 0,
                source_cluster_id: b"ABEiM0RVZneImaq7zN3u_w".to_vec(),
                tagged_fields: vec![],
            }
        );
        let bare = MirrorPidReset::decode(Some(&hex(LAYOUT_B)));
        assert_eq!(bare, MirrorPidReset::Bare { version: 0 });
    }

    #[test]
    fn the_cluster_id_is_free_text() {
        let bytes = hex("0000 07 c3bc 20 ff2e7b 00");
        let MirrorPidReset::Sourced {
            source_cluster_id, ..
        } = MirrorPidReset::decode(Some(&bytes))
        else {
            panic!("not layout A");
        };
        assert_eq!(source_cluster_id, hex("c3bc20ff2e7b"));
    }

    #[test]
    fn nothing_is_fatal_and_everything_is_kept() {
        assert_eq!(MirrorPidReset::decode(None).encode(), None);
        for bytes in [
            &hex(LAYOUT_A)[..],
            &hex(LAYOUT_B),
            &hex("0000 01"),
            &hex("0000 0001 00 ff"),
        ] {
            for cut in truncations(bytes)
                .map(<[u8]>::to_vec)
                .chain(bit_flips(bytes))
            {
                let read = MirrorPidReset::decode(Some(&cut));
                if let MirrorPidReset::Unknown { fault, .. } = &read {
                    assert_inside(fault, &cut);
                }
                // A flipped bit may also write a length in more bytes than it takes.
                assert_eq!(read.encode().unwrap(), cut, "{cut:x?}");
            }
            assert_eq!(MirrorPidReset::decode(Some(bytes)).encode().unwrap(), bytes);
        }
    }

    #[test]
    fn what_is_neither_layout_is_unknown() {
        for bytes in [
            "",
            "00",
            "0000",
            "0000 01",
            "0000 00 00",
            "0000 02 61 00 00",
            "0000 17 41",
        ] {
            let read = MirrorPidReset::decode(Some(&hex(bytes)));
            assert!(matches!(read, MirrorPidReset::Unknown { .. }), "{bytes}");
        }
    }
}
