//! One schedule, run again in a process of its own.

use std::time::Duration;

use contest_data::protocol::{Replayed, Reply, Request};

use super::campaign_error::{CampaignError, check_version};
use super::death::DeathContext;
use super::interrupt::Interrupt;
use super::own_panic::OwnPanic;
use crate::harness::{Driver, DriverEvent, DriverExit, DriverProcess, Watchdog};

/// Interval at which the interrupt is checked.
const LOOK: Duration = Duration::from_millis(100);

/// How a replay ended.
#[derive(Clone, Debug)]
pub enum ReplayEnd {
    /// The driver reports what happened.
    Replayed(Box<Replayed>),
    /// The process died or hung, as the schedule of an abort makes it do.
    Died(DeathContext),
    /// The interrupt was set.
    Interrupted,
}

/// Runs the schedule of a token.
///
/// # Errors
/// If the driver cannot be run, or refuses the token because it belongs to another crate or version.
pub fn replay(
    driver: &Driver,
    token: &str,
    interrupt: &Interrupt,
) -> Result<ReplayEnd, CampaignError> {
    let request = Request::Replay {
        token: token.to_string(),
    };
    answer_of(driver.start(&request, Watchdog::default())?, interrupt)
}

/// Waits for what the process says of the one schedule it runs.
///
/// # Errors
/// If the process refuses the request, or ends without an answer.
pub(super) fn answer_of(
    mut process: DriverProcess,
    interrupt: &Interrupt,
) -> Result<ReplayEnd, CampaignError> {
    let mut answer = None;
    loop {
        if interrupt.is_set() {
            process.stop()?;
            return Ok(ReplayEnd::Interrupted);
        }
        let exit = match process.next_event(LOOK)? {
            DriverEvent::Quiet => continue,
            DriverEvent::Reply(reply) => {
                match *reply {
                    Reply::Hello { version, .. } => check_version(version)?,
                    Reply::Replayed(replayed) => answer = Some(replayed),
                    Reply::Refused(why) => return Err(CampaignError::Refused(why)),
                    _ => {}
                }
                continue;
            }
            DriverEvent::Ended(exit) => exit,
        };
        if let Some(replayed) = answer {
            return Ok(ReplayEnd::Replayed(replayed));
        }
        return match exit {
            DriverExit::Died {
                death,
                black_box,
                stderr,
            } => Ok(ReplayEnd::Died(
                DeathContext::died(&death, black_box).saying(&stderr),
            )),
            DriverExit::Panicked {
                panic, black_box, ..
            } => Err(CampaignError::Panicked(
                OwnPanic::new(panic, black_box).to_string(),
            )),
            DriverExit::Hung { black_box, .. } => {
                Ok(ReplayEnd::Died(DeathContext::hung(black_box)))
            }
            DriverExit::Stopped => Ok(ReplayEnd::Interrupted),
            DriverExit::Done => Err(CampaignError::Bug(
                "the driver ended without an answer".to_string(),
            )),
            DriverExit::Garbled { line, .. } => Err(CampaignError::garbled(&line)),
        };
    }
}
