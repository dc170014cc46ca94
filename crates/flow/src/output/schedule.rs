//! The schedule of an output: regular times or steps at which it samples the state.

use crate::input::Every;
use crate::solver::Clock;

/// Largest number of periods that double precision can distinguish: 2^53.
const MOST: f64 = 9_007_199_254_740_992.0;

/// The schedule of an output. It is a function of the clock alone, so that checkpoints need not contain it.
pub struct Schedule {
    every: Option<Every>,
    /// Time up to which there are no events.
    after: f64,
    /// Number of periods to the next event, for a period in time.
    count: u64,
    /// Step of the last event.
    last: Option<u64>,
}

impl Schedule {
    /// Returns the events after the time of the clock.
    pub fn new(every: Option<Every>, clock: &Clock) -> Self {
        Self::after(every, f64::NEG_INFINITY, clock)
    }

    /// Returns the events after the time of the clock and after the time `after`.
    pub fn after(every: Option<Every>, after: f64, clock: &Clock) -> Self {
        let mut schedule = Schedule {
            every,
            after,
            count: 1,
            last: None,
        };
        schedule.pass(clock.time.max(after));
        schedule
    }

    /// Returns the time of the next event, if the period is one of time.
    pub fn next_time(&self) -> Option<f64> {
        match self.every {
            Some(Every::Time(period)) => Some(period * self.count as f64),
            _ => None,
        }
    }

    /// Returns whether the clock is at an event, or past one in time, and leaves the schedule as it is.
    pub fn awaits(&self, clock: &Clock) -> bool {
        match self.every {
            None => false,
            Some(Every::Steps(n)) => clock.step.is_multiple_of(n) && clock.time > self.after,
            Some(Every::Time(_)) => self.next_time().is_some_and(|next| clock.time >= next),
        }
    }

    /// Returns whether the clock is at an event, or past one in time. If so, the schedule moves on to the next one.
    pub fn due(&mut self, clock: &Clock) -> bool {
        let due = self.awaits(clock);
        self.pass(clock.time.max(self.after));
        if due {
            self.last = Some(clock.step);
        }
        due
    }

    /// Returns whether [`Schedule::due`] has found an event at the step of the clock.
    pub fn is_event(&self, clock: &Clock) -> bool {
        self.last == Some(clock.step)
    }

    /// Returns whether a state with this step and time was an event of such a period, if steps end at its times.
    pub fn was_event(every: Every, step: u64, time: f64) -> bool {
        match every {
            Every::Steps(n) => step.is_multiple_of(n),
            Every::Time(period) => time == period * (time / period).round() || time / period >= MOST,
        }
    }

    /// Moves on to the first event after a time.
    fn pass(&mut self, time: f64) {
        let Some(Every::Time(period)) = self.every else { return };
        // Events that the clock cannot tell apart occur with every step.
        if time / period >= MOST {
            self.every = Some(Every::Steps(1));
            return;
        }
        // Rounding may change the quotient, so that products decide.
        let nearly = (time / period).floor() - 1.0;
        self.count = self.count.max(nearly.max(0.0) as u64);
        while period * self.count as f64 <= time {
            self.count += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: f64, step: u64) -> Clock {
        let mut clock = Clock::default();
        clock.advance(time, Some(time));
        clock.step = step;
        clock
    }

    #[test]
    fn a_schedule_begun_at_any_time_awaits_the_same_events() {
        for period in [0.1, 0.3, 1.0 / 3.0, 1e-9, 7.0] {
            let mut through = Schedule::new(Some(Every::Time(period)), &Clock::default());
            for n in 1..2000_u32 {
                let time = period * f64::from(n);
                assert_eq!(through.next_time(), Some(time));
                let before = at(time.next_down(), 1);
                assert!(!through.due(&before));
                assert_eq!(
                    Schedule::new(Some(Every::Time(period)), &before).next_time(),
                    Some(time)
                );
                assert!(through.due(&at(time, 1)));
                assert_eq!(
                    Schedule::new(Some(Every::Time(period)), &at(time, 1)).next_time(),
                    through.next_time()
                );
            }
        }
    }

    #[test]
    fn a_period_below_the_resolution_of_the_clock_means_every_step() {
        let mut schedule = Schedule::new(Some(Every::Time(1e-300)), &Clock::default());
        for n in 1..5 {
            assert!(schedule.due(&at(0.01 * f64::from(n), 1)));
        }
    }

    #[test]
    fn a_schedule_that_begins_later_has_the_same_events_from_then_on() {
        for every in [Every::Time(0.3), Every::Steps(2)] {
            let mut late = Schedule::after(Some(every), 3.0, &Clock::default());
            let mut all = Schedule::new(Some(every), &Clock::default());
            for n in 1..200_u32 {
                let clock = at(0.05 * f64::from(n), u64::from(n));
                assert_eq!(late.due(&clock), all.due(&clock) && clock.time > 3.0, "{every:?} {n}");
            }
        }
        let every = Some(Every::Time(0.5));
        assert_eq!(Schedule::after(every, 3.0, &Clock::default()).next_time(), Some(3.5));
    }

    #[test]
    fn events_that_a_step_leaps_over_come_once() {
        let mut schedule = Schedule::new(Some(Every::Time(1.0)), &Clock::default());
        assert!(schedule.due(&at(3.5, 1)));
        assert!(!schedule.due(&at(3.9, 2)));
        assert!(schedule.due(&at(4.0, 3)));
        let mut steps = Schedule::new(Some(Every::Steps(5)), &at(0.0, 5));
        assert!(steps.due(&at(0.0, 5)) && !steps.due(&at(0.0, 6)));
    }
}
