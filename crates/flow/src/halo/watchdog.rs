//! A limit to all waits of a rank: for messages, which MPI awaits without one, for the GPU, and inside of libraries.
//!
//! The rank tells the watchdog what it begins. If it begins nothing else within the limit, a thread calls a function
//! with the name of what lasts too long.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What the rank does, or `None` when it has ended.
type Doing = Option<(String, Instant)>;

/// A limit to the time that a rank spends with one thing.
pub struct Watchdog {
    doing: Arc<(Mutex<Doing>, Condvar)>,
}

impl Watchdog {
    /// Starts to watch. `expired` is called, once, with what the rank has been doing for longer than `limit`.
    pub fn start(limit: Duration, expired: impl FnOnce(&str) + Send + 'static) -> Self {
        let doing: Doing = Some(("starting".to_owned(), Instant::now()));
        let doing = Arc::new((Mutex::new(doing), Condvar::new()));
        let watched = Arc::clone(&doing);
        std::thread::spawn(move || {
            let (doing, changed) = &*watched;
            let mut now = doing.lock().unwrap_or_else(PoisonError::into_inner);
            while let Some((what, since)) = &*now {
                let Some(left) = limit.checked_sub(since.elapsed()) else {
                    return expired(what);
                };
                now = changed
                    .wait_timeout(now, left)
                    .unwrap_or_else(PoisonError::into_inner)
                    .0;
            }
        });
        Watchdog { doing }
    }

    /// Says what the rank does from now on.
    pub fn now(&self, what: String) {
        *self.doing.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((what, Instant::now()));
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        *self.doing.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.doing.1.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn only_what_takes_too_long_is_told() {
        let (told, telling) = mpsc::channel();
        let watchdog = Watchdog::start(Duration::from_millis(300), move |what| {
            told.send(what.to_owned()).expect("somebody waits");
        });
        for number in 0..10 {
            watchdog.now(format!("step {number}"));
            std::thread::sleep(Duration::from_millis(5));
        }
        watchdog.now("waiting".to_owned());
        assert_eq!(telling.recv(), Ok("waiting".to_owned()));

        let (told, telling) = mpsc::channel();
        let watchdog = Watchdog::start(Duration::from_millis(100), move |_| {
            told.send(()).expect("somebody waits")
        });
        drop(watchdog);
        assert_eq!(telling.recv(), Err(mpsc::RecvError), "nothing is told after the end");
    }
}
