//! Litmus programs with the number of executions that GenMC counts.
