//! The clock of a run: compensated time, and steps that end exactly at requested times.

/// Physical time as a compensated sum of steps.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Clock {
    /// Physical time.
    pub time: f64,
    /// Rounding error of `time`, which the next step compensates for.
    pub compensation: f64,
    /// Number of steps taken.
    pub step: u64,
}

impl Clock {
    /// Returns the clock of a run that continues from a checkpoint.
    pub fn resumed(time: f64, compensation: f64, step: u64) -> Self {
        Clock {
            time,
            compensation,
            step,
        }
    }

    /// Counts one step of `dt`. If the step was to end at `target`, the time becomes exactly that.
    pub fn advance(&mut self, dt: f64, target: Option<f64>) {
        self.step += 1;
        if let Some(target) = target {
            (self.time, self.compensation) = (target, 0.0);
            return;
        }
        let increment = dt - self.compensation;
        let next = self.time + increment;
        self.compensation = (next - self.time) - increment;
        self.time = next;
    }

    /// Returns the length of the next step and whether it ends at `target`, the time of the next event, when the
    /// time-step bounds allow `dt`. The length is `dt`, or an equal share of the remaining time if one or two steps
    /// reach the target, so that no very short step remains.
    pub fn clip(&self, dt: f64, target: f64) -> (f64, bool) {
        let left = (target - self.time) + self.compensation;
        if left <= dt * (1.0 + 1e-9) {
            (left, true)
        } else if left < 2.0 * dt {
            (0.5 * left, false)
        } else {
            (dt, false)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_steps_add_up_to_round_off() {
        let mut clock = Clock::default();
        for _ in 0..1_000_000 {
            clock.advance(1e-3, None);
        }
        assert!((clock.time - 1000.0).abs() < 3e-13, "{}", clock.time);
    }

    #[test]
    fn events_are_hit_exactly_and_without_slivers() {
        let mut clock = Clock::default();
        let mut smallest = f64::INFINITY;
        for event in 1..=7 {
            let target = f64::from(event) * 0.1;
            loop {
                let (dt, hit) = clock.clip(0.031, target);
                smallest = smallest.min(dt);
                clock.advance(dt, hit.then_some(target));
                if hit {
                    break;
                }
            }
            assert_eq!(clock.time, target);
        }
        assert!(smallest > 0.4 * 0.031, "{smallest}");
    }
}
