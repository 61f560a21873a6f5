//! The programs of SCTBench.
