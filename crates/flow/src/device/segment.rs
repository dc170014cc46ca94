//! A segment: memory of the host into which one rank of a machine puts traces for another one, in place of messages.
//!
//! The receiving rank creates it. It holds three slots, one for each of two alternating states and one for viscous
//! traces, and flags. A message is divided into pieces. The sender sets the flag of a piece after its values, and the
//! receiver clears it before it reads them. A slot is never overwritten before it is read; `cuda::peer` has the reason,
//! which is the same for memory of a GPU and for a segment.

use std::ops::Range;

use super::{HaloNeighbour, Traces};
use crate::ranks::{SharedMemory, SharedMemoryError, TOKEN_BYTES, Ticket};

/// Slots of a segment.
pub const SLOTS: usize = 3;
/// Most pieces of a message.
pub const MOST_PIECES: usize = 16;
/// Bytes of the token and the flags, and the alignment of the slots.
const HEAD: usize = 4096;

/// Where the parts of a segment lie, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SegmentShape {
    /// Bytes of the states of one exchange.
    pub states: usize,
    /// Bytes of the viscous traces of one exchange.
    pub traces: usize,
    /// Bytes of a piece.
    pub piece: usize,
}

impl SegmentShape {
    /// Returns the shapes of the segments from and to a neighbour, whose values have `real` bytes. The neighbour finds
    /// the same shapes, because both count the values of the same faces.
    pub fn of_neighbour(neighbour: &HaloNeighbour, real: usize, piece: usize) -> [Self; 2] {
        [&neighbour.states_in, &neighbour.states_out].map(|states| SegmentShape {
            states: states.len() * real,
            traces: neighbour.traces.len() * real,
            piece,
        })
    }

    /// Returns the size of the segment.
    pub fn bytes(&self) -> usize {
        self.slot(SLOTS)
    }

    /// Returns the beginning of a slot, or the end of the last one.
    fn slot(&self, slot: usize) -> usize {
        let lengths = [self.states, self.states, self.traces];
        HEAD + lengths[..slot]
            .iter()
            .map(|len| len.next_multiple_of(HEAD))
            .sum::<usize>()
    }

    /// Returns the pieces of a message as ranges of its bytes: of equal lengths that are multiples of the page, but for
    /// the last. A message without values is one piece, so that neither rank gets ahead of the other.
    pub fn pieces(&self, traces: Traces) -> impl ExactSizeIterator<Item = Range<usize>> + use<> {
        let len = match traces {
            Traces::States(_) | Traces::Scalars(_) => self.states,
            Traces::Viscous | Traces::ScalarFluxes => self.traces,
        };
        let count = len.div_ceil(self.piece.max(1)).clamp(1, MOST_PIECES);
        let step = len.div_ceil(count).next_multiple_of(HEAD).max(HEAD);
        (0..len.div_ceil(step).max(1)).map(move |k| k * step..((k + 1) * step).min(len))
    }
}

/// A segment that is mapped into this process.
#[derive(Debug)]
pub struct Segment {
    /// Where its parts lie.
    pub shape: SegmentShape,
    memory: SharedMemory,
}

impl Segment {
    /// Creates a segment of zeros.
    ///
    /// # Errors
    /// The system has no such memory.
    pub fn create(shape: SegmentShape) -> Result<Self, SharedMemoryError> {
        let memory = SharedMemory::create(shape.bytes())?;
        Ok(Segment { shape, memory })
    }

    /// Opens the segment of another rank.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn open(ticket: Ticket, shape: SegmentShape) -> Result<Self, SharedMemoryError> {
        let memory = SharedMemory::open(ticket, shape.bytes())?;
        Ok(Segment { shape, memory })
    }

    /// Returns what another rank opens the segment by.
    pub fn ticket(&self) -> Ticket {
        self.memory.ticket()
    }

    /// Returns the whole memory: address and bytes.
    pub fn memory(&self) -> (*mut u8, usize) {
        (self.memory.address(), self.memory.bytes())
    }

    /// Returns the address of a slot.
    pub fn slot(&self, slot: usize) -> *mut u8 {
        self.memory.address().wrapping_add(self.shape.slot(slot))
    }

    /// Returns the address of the flag of a piece in a slot.
    pub fn flag(&self, slot: usize, piece: usize) -> *mut u32 {
        let first = self.memory.address().wrapping_add(TOKEN_BYTES).cast::<u32>();
        first.wrapping_add(slot * MOST_PIECES + piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Buffer;

    const SHAPE: SegmentShape = SegmentShape {
        states: 10_000,
        traces: 5_000_000,
        piece: 65536,
    };

    #[test]
    fn parts_of_a_segment_lie_apart() {
        let segment = Segment::create(SHAPE).unwrap();
        let (first, bytes) = segment.memory();
        let at = |address: *mut u8| address.addr() - first.addr();
        let token = 0..TOKEN_BYTES;
        let mut parts: Vec<Range<usize>> = vec![token];
        for slot in 0..SLOTS {
            let len = [SHAPE.states, SHAPE.states, SHAPE.traces][slot];
            parts.push(at(segment.slot(slot))..at(segment.slot(slot)) + len);
            let flag = |piece| at(segment.flag(slot, piece).cast());
            parts.extend((0..MOST_PIECES).map(|piece| flag(piece)..flag(piece) + size_of::<u32>()));
        }
        parts.sort_by_key(|part| part.start);
        assert!(parts.windows(2).all(|pair| pair[0].end <= pair[1].start), "{parts:?}");
        assert!(parts.last().unwrap().end <= bytes);
    }

    #[test]
    fn pieces_cover_a_message() {
        let lengths = [0, 1, 4096, 65536, 65537, 200_000, 5_000_000];
        for (states, piece) in lengths
            .iter()
            .flat_map(|&n| [4096, 65536, 1 << 20].map(|piece| (n, piece)))
        {
            let shape = SegmentShape { states, piece, ..SHAPE };
            let pieces: Vec<_> = shape.pieces(Traces::States(Buffer::A)).collect();
            assert!(pieces.len() <= MOST_PIECES && (states > piece || pieces.len() == 1));
            assert_eq!(pieces.iter().map(Range::len).sum::<usize>(), states);
            assert!(pieces.iter().all(|piece| states == 0 || !piece.is_empty()));
            let mut end = 0;
            pieces
                .iter()
                .for_each(|piece| assert_eq!(std::mem::replace(&mut end, piece.end), piece.start));
        }
    }
}
