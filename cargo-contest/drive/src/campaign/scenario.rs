//! One given test, explored in a process of its own.

use std::time::Duration;

use contest_data::finding::Finding;
use contest_data::protocol::{Reply, Request};
use contest_data::scenario::{Scenario, ScenarioReport};

use super::campaign_error::{CampaignError, check_version};
use super::death::DeathContext;
use super::interrupt::Interrupt;
use super::own_panic::OwnPanic;
use crate::harness::{Driver, DriverEvent, DriverExit, Watchdog};

/// Interval at which the interrupt is checked.
const LOOK: Duration = Duration::from_millis(100);

/// How the exploration of a scenario ended.
#[derive(Clone, Debug)]
pub enum ScenarioEnd {
    /// All that it showed.
    Explored(Vec<Finding>, ScenarioReport),
    /// The process died or hung.
    Died(DeathContext),
    /// The interrupt was set.
    Interrupted,
}

/// Explores it.
///
/// # Errors
/// If the driver cannot be run, or refuses.
pub fn explore_scenario(
    driver: &Driver,
    scenario: Scenario,
    interrupt: &Interrupt,
) -> Result<ScenarioEnd, CampaignError> {
    let mut process = driver.start(&Request::Scenario(scenario), Watchdog::default())?;
    let mut findings = Vec::new();
    let mut answer = None;
    loop {
        if interrupt.is_set() {
            process.stop()?;
            return Ok(ScenarioEnd::Interrupted);
        }
        let exit = match process.next_event(LOOK)? {
            DriverEvent::Quiet => continue,
            DriverEvent::Reply(reply) => {
                match *reply {
                    Reply::Hello { version, .. } => check_version(version)?,
                    Reply::Finding(finding) => findings.push(*finding),
                    Reply::Scenario(report) => answer = Some(report),
                    Reply::Refused(why) => return Err(CampaignError::Refused(why)),
                    _ => {}
                }
                continue;
            }
            DriverEvent::Ended(exit) => exit,
        };
        if let Some(report) = answer {
            return Ok(ScenarioEnd::Explored(findings, report));
        }
        return match exit {
            DriverExit::Died {
                death,
                black_box,
                stderr,
            } => Ok(ScenarioEnd::Died(
                DeathContext::died(&death, black_box).saying(&stderr),
            )),
            DriverExit::Panicked {
                panic, black_box, ..
            } => Err(CampaignError::Panicked(
                OwnPanic::new(panic, black_box).to_string(),
            )),
            DriverExit::Hung { black_box, .. } => {
                Ok(ScenarioEnd::Died(DeathContext::hung(black_box)))
            }
            DriverExit::Stopped => Ok(ScenarioEnd::Interrupted),
            DriverExit::Done => Err(CampaignError::Bug(
                "the driver ended without an answer".to_owned(),
            )),
            DriverExit::Garbled { line, .. } => Err(CampaignError::garbled(&line)),
        };
    }
}
