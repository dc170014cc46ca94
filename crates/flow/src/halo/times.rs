//! The time that exchanges take, and the part of it that kernels hide: from the recorded spans of a GPU's queues or, on
//! a CPU, from the clock of the host.

use super::exchange::Traffic;
use crate::device::Span;

/// Intervals of time in seconds: begin and end.
pub type Intervals = Vec<(f64, f64)>;

/// Mean values of one exchange of a rank. Times are in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Times {
    /// Messages sent.
    pub messages: f64,
    /// Bytes sent.
    pub bytes: f64,
    /// t_comm: from packed values to arrived values.
    pub communication: f64,
    /// t_overlap: the work on interior cells that can hide the exchange.
    pub overlap: f64,
    /// The part of t_comm during which no kernel runs.
    pub unhidden: f64,
}

impl Times {
    /// Computes the means from the spans of some exchanges, and from the traffic of these or more.
    pub fn new(spans: &[Span], traffic: &Traffic) -> Self {
        let each = |sum: f64| sum / traffic.exchanges.max(1) as f64;
        let mut times = Times {
            messages: each(traffic.messages as f64),
            bytes: each(traffic.bytes as f64),
            communication: each(traffic.communication),
            overlap: each(traffic.overlap),
            unhidden: each(traffic.waiting),
        };
        let of = |wanted: &dyn Fn(&Span) -> bool| -> Intervals {
            let chosen = spans.iter().filter(|s| wanted(s));
            chosen.map(|s| (s.begin, s.end)).collect()
        };
        let interior = of(&|s| s.what.ends_with("interior"));
        let kernels = of(&|s| is_kernels(s.queue));
        if !interior.is_empty() {
            // Every sweep over interior cells hides one exchange.
            let exchanges = interior.len() as f64;
            let transfers = union(of(&|s| !is_kernels(s.queue)));
            let whole = length(&transfers);
            times.communication = whole / exchanges;
            times.unhidden = (whole - intersection(&transfers, &union(kernels))) / exchanges;
            times.overlap = length(&union(interior)) / exchanges;
        }
        times
    }
}

/// Returns whether a queue holds kernels. The other queues hold transfers.
fn is_kernels(queue: &str) -> bool {
    queue.ends_with("kernels")
}

/// Returns the union of intervals, as intervals that neither touch nor overlap.
fn union(mut intervals: Intervals) -> Intervals {
    intervals.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut apart: Intervals = Vec::new();
    for (begin, end) in intervals {
        match apart.last_mut() {
            Some(last) if begin <= last.1 => last.1 = last.1.max(end),
            _ => apart.push((begin, end)),
        }
    }
    apart
}

/// Returns the total length of intervals that do not overlap.
fn length(intervals: &Intervals) -> f64 {
    intervals.iter().map(|(begin, end)| end - begin).sum()
}

/// Returns the length of the intersection of two sets of intervals, neither of which overlaps itself.
fn intersection(a: &Intervals, b: &Intervals) -> f64 {
    let pairs = a.iter().flat_map(|a| b.iter().map(move |b| (a, b)));
    let common = pairs.map(|(a, b)| (a.1.min(b.1) - a.0.max(b.0)).max(0.0));
    // The sum of nothing would be -0.
    common.fold(0.0, |sum, time| sum + time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_kernels_do_not_cover_of_a_transfer_is_not_hidden() {
        let span = |queue, what, begin, end| Span {
            queue,
            what,
            begin,
            end,
        };
        // 3 s of transfers, of which 1 s is beside the first sweep and 0.5 s beside frontier kernels.
        let spans = [
            span("kernels", "sweep 1, interior", 0.0, 2.0),
            span("device to host", "states", 1.0, 2.5),
            span("network", "states", 2.0, 4.0),
            span("frontier kernels", "sweep 1, frontier", 3.5, 6.0),
        ];
        let times = Times::new(&spans, &Traffic::default());
        assert_eq!((times.communication, times.overlap, times.unhidden), (3.0, 2.0, 1.5));
    }
}
