//! Findings, totals and progress in; text for people, JSON lines out.
