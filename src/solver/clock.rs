//! The clock of a run: compensated time, and steps that hit the times that are asked for.

/// Physical time as a compensated sum of steps.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Clock {
    /// Physical time.
    pub time: f64,
    /// What the sum of the steps has lost to rounding.
    pub lost: f64,
    /// Number of steps taken.
    pub step: u64,
}

impl Clock {
    /// The clock of a run that goes on.
    pub fn resumed(time: f64, lost: f64, step: u64) -> Self {
        Clock { time, lost, step }
    }

    /// Counts one step of `dt`; if it was meant to end at `target`, the time is exactly that.
    pub fn advance(&mut self, dt: f64, target: Option<f64>) {
        self.step += 1;
        if let Some(target) = target {
            (self.time, self.lost) = (target, 0.0);
            return;
        }
        let increment = dt - self.lost;
        let next = self.time + increment;
        self.lost = (next - self.time) - increment;
        self.time = next;
    }

    /// The step to take when `dt` is allowed and the next event lies at `target`: `dt` itself, or an equal share of what is
    /// left when one or two steps reach the target, so that no sliver of a step remains. The flag says that it is reached.
    pub fn clip(&self, dt: f64, target: f64) -> (f64, bool) {
        let left = (target - self.time) + self.lost;
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
