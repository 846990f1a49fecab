//! The first bytes of the store's file, which the store itself believes too readily.
//!
//! The store opens a file that was closed well without looking whether its pages are sound, and
//! takes as much memory for a page as the page's number says: a damaged number may ask for a
//! terabyte, and ends the program. A file that has to be recovered is read with care, every page's
//! checksum before the numbers in it. So [`to_recover`] makes a header that asks for this. The
//! layout is redb's file format 3: 9 bytes of magic, a byte of flags, page and region sizes from
//! byte 12, and from byte 64 two commit slots, each with the roots of the data and system tables
//! after one transaction.

/// Bytes of the header.
pub const BYTES: usize = 320;
/// The first bytes of a file of the store.
pub const MAGIC: &[u8] = b"redb\x1A\x0A\xA9\x0D\x0A";

const FLAGS: usize = 9;
/// The second slot is the newer one.
const SECOND_SLOT: u8 = 1;
/// The file was not closed.
const MUST_RECOVER: u8 = 2;
/// The newer slot was written when everything else was in the file.
const TWO_PHASES: u8 = 4;
const SIZES: usize = 12;
/// Pages of 4 KB, regions of 2^20 pages without any before them: what the store makes unasked.
const USUAL_SIZES: [u8; 12] = [0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0];
const PAGE_BYTES: u64 = 4096;
const SLOTS: usize = 64;
const SLOT_BYTES: usize = 128;
/// Where in a slot the numbers of the roots' pages stand.
const ROOTS: [usize; 2] = [8, 40];
/// The bits of a page's number from here on are the binary logarithm of its size in pages.
const ORDER_SHIFT: u32 = 59;

/// Returns the header with which the store recovers a file of this length, and finds what it finds
/// when it opens the file as it is; `None` if the header is damaged.
pub fn to_recover(header: &[u8; BYTES], length: u64) -> Option<[u8; BYTES]> {
    if !header.starts_with(MAGIC) || !header[SIZES..].starts_with(&USUAL_SIZES) {
        return None;
    }
    let mut header = *header;
    let flags = header[FLAGS];
    let (first, second) = header[SLOTS..].split_at_mut(SLOT_BYTES);
    let second = &mut second[..SLOT_BYTES];
    let (newer, older) = if flags & SECOND_SLOT == 0 { (first, second) } else { (second, first) };
    // Only of a file that was not closed, and whose last transaction may be there in part, the
    // older slot counts.
    let counts_alone = flags & MUST_RECOVER == 0 || flags & TWO_PHASES != 0;
    let [newer_fits, older_fits] = [&*newer, &*older].map(|slot| has_roots_within(slot, length));
    if counts_alone || newer_fits && !older_fits {
        older.copy_from_slice(newer);
    } else if older_fits && !newer_fits {
        newer.copy_from_slice(older);
    }
    header[FLAGS] = flags & !TWO_PHASES | MUST_RECOVER;
    (newer_fits || older_fits && !counts_alone).then_some(header)
}

/// Returns true if the pages of the roots are no larger than the file.
fn has_roots_within(slot: &[u8], length: u64) -> bool {
    ROOTS.iter().all(|&root| {
        let number =
            slot[root..].first_chunk().map_or(u64::MAX, |bytes| u64::from_le_bytes(*bytes));
        PAGE_BYTES << (number >> ORDER_SHIFT) <= length
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use redb::{ReadableDatabase, StorageBackend};

    /// Returns the header of a new file of the store, and the file's length.
    fn sound(name: &str) -> ([u8; BYTES], u64) {
        let name = format!("tengen-header-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let store = redb::Database::create(&path).unwrap();
        drop(store.begin_read());
        drop(store);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        (*bytes.first_chunk().unwrap(), bytes.len() as u64)
    }

    #[test]
    fn a_store_recovers_by_the_new_header() {
        let (header, length) = sound("recovers");
        assert_eq!(header[FLAGS] & MUST_RECOVER, 0);
        let header = to_recover(&header, length).unwrap();
        assert_eq!(header[FLAGS] & (MUST_RECOVER | TWO_PHASES), MUST_RECOVER);
        assert_eq!(header[SLOTS..][..SLOT_BYTES], header[SLOTS + SLOT_BYTES..][..SLOT_BYTES]);
        let backend = redb::backends::InMemoryBackend::new();
        backend.set_len(length).unwrap();
        backend.write(0, &header).unwrap();
        // The pages of the roots are not there.
        assert!(redb::Builder::new().create_with_backend(backend).is_err());
    }

    #[test]
    fn damage_is_seen() {
        let (header, length) = sound("damage");
        let damaged = |changes: &[(usize, u8)]| {
            let mut header = header;
            changes.iter().for_each(|&(place, byte)| header[place] = byte);
            to_recover(&header, length)
        };
        let newer = SLOTS + SLOT_BYTES * usize::from(header[FLAGS] & SECOND_SLOT);
        let older = 2 * SLOTS + SLOT_BYTES - newer;
        assert!(damaged(&[]).is_some());
        for place in [0, SIZES, SIZES + 11, newer + ROOTS[0] + 7, newer + ROOTS[1] + 7] {
            assert_eq!(damaged(&[(place, 0xFF)]), None, "{place}");
        }
        assert!(damaged(&[(older + ROOTS[0] + 7, 0xFF)]).is_some());
        // Of a file that was not closed the other slot may count.
        let is_open = (FLAGS, header[FLAGS] & !TWO_PHASES | MUST_RECOVER);
        let recovered = damaged(&[is_open, (newer + ROOTS[0] + 7, 0xFF)]).unwrap();
        assert_eq!(recovered[newer..][..SLOT_BYTES], header[older..][..SLOT_BYTES]);
        let both = [is_open, (newer + ROOTS[0] + 7, 0xFF), (older + ROOTS[1] + 7, 0xFF)];
        assert_eq!(damaged(&both), None);
    }
}
