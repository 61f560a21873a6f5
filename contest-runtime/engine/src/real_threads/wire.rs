//! What a copy sends: its calls, then how the run ended. A copy that crashed on the way has not sent the end.

use super::{RealCall, RealEnding, RealRun};
use contest_data::trace::Outcome;

const CALL: u8 = 1;
const FINISHED: u8 = 2;
const HUNG: u8 = 3;
const MAIN: u8 = u8::MAX;

pub(super) fn write(run: &RealRun) -> Vec<u8> {
    let mut bytes = Vec::new();
    for call in &run.calls {
        bytes.push(CALL);
        bytes.push(call.lane.unwrap_or(MAIN));
        bytes.extend(call.call.to_le_bytes());
        bytes.extend(call.began.to_le_bytes());
        bytes.extend(call.ended.to_le_bytes());
        let (tag, first, second) = match &call.outcome {
            Outcome::Returned(Some(text)) => (0, text.as_str(), ""),
            Outcome::Returned(None) => (1, "", ""),
            Outcome::Panicked(message, location) => (2, message.as_str(), location.as_str()),
            Outcome::Pending => (3, "", ""),
            Outcome::Absent => (4, "", ""),
        };
        bytes.push(tag);
        for text in [first, second] {
            bytes.extend((text.len() as u32).to_le_bytes());
            bytes.extend(text.as_bytes());
        }
    }
    bytes.push(if run.ending == RealEnding::Finished {
        FINISHED
    } else {
        HUNG
    });
    bytes
}

/// `None` if the end is missing.
pub(super) fn read(bytes: &[u8]) -> Option<RealRun> {
    let mut rest = Rest(bytes);
    let mut calls = Vec::new();
    loop {
        let ending = match rest.byte()? {
            CALL => {
                calls.push(rest.call()?);
                continue;
            }
            FINISHED => RealEnding::Finished,
            _ => RealEnding::Hung,
        };
        return Some(RealRun { calls, ending });
    }
}

struct Rest<'b>(&'b [u8]);

impl Rest<'_> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    fn byte(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    fn number(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn text(&mut self) -> Option<String> {
        let length = self.number()? as usize;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        String::from_utf8(text.to_vec()).ok()
    }

    fn call(&mut self) -> Option<RealCall> {
        let lane = self.byte()?;
        let call = u16::from_le_bytes(self.array()?);
        let (began, ended) = (self.number()?, self.number()?);
        let tag = self.byte()?;
        let (first, second) = (self.text()?, self.text()?);
        Some(RealCall {
            lane: (lane != MAIN).then_some(lane),
            call,
            began,
            ended,
            outcome: match tag {
                0 => Outcome::Returned(Some(first)),
                1 => Outcome::Returned(None),
                2 => Outcome::Panicked(first, second),
                3 => Outcome::Pending,
                _ => Outcome::Absent,
            },
        })
    }
}
