//! The SAT solver behind the constraints: the trait, and its implementation by `batsat`.

use batsat::{Callbacks, ClauseKind, Lit, SolverInterface, Var, lbool};

/// A literal: a variable or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Literal(i32);

impl std::ops::Not for Literal {
    type Output = Self;

    fn not(self) -> Self {
        Self(-self.0)
    }
}

/// Answer of a solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// There is a model; see [`SatSolver::value`].
    Satisfiable,
    /// There is none; see [`SatSolver::core`].
    Unsatisfiable,
    /// Given up at the limit of conflicts.
    Unknown,
}

/// An incremental SAT solver: clauses may be added between queries, and each query has its own assumptions.
pub trait SatSolver: Default {
    /// A new variable, and the value to try first.
    fn variable(&mut self, first: bool) -> Literal;
    /// Adds a clause.
    fn clause(&mut self, literals: &[Literal]);
    /// Looks for a model in which these hold, giving up after so many conflicts.
    fn solve(&mut self, assumptions: &[Literal], most_conflicts: u64) -> Answer;
    /// Value in the model found last.
    fn value(&self, literal: Literal) -> bool;
    /// Assumptions of the last query that cannot hold together.
    fn core(&self) -> Vec<Literal>;
    /// Number of clauses added.
    fn clauses(&self) -> u64;
    /// Conflicts met so far: what the answers cost, the same on every machine.
    fn conflicts(&self) -> u64;
}

/// Counts learnt clauses, of which there is one per conflict: the limit is the same on every machine, where one of time
/// would not be.
#[derive(Debug, Default)]
struct Conflicts {
    seen: u64,
    most: u64,
}

impl Callbacks for Conflicts {
    fn on_new_clause(&mut self, _clause: &[Lit], source: ClauseKind) {
        if source == ClauseKind::Learnt {
            self.seen += 1;
        }
    }

    fn stop(&self) -> bool {
        self.seen >= self.most
    }
}

/// [`batsat`].
pub struct Batsat {
    solver: batsat::Solver<Conflicts>,
    clauses: u64,
    buffer: Vec<Lit>,
}

impl std::fmt::Debug for Batsat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Batsat")
            .field("clauses", &self.clauses)
            .finish_non_exhaustive()
    }
}

impl Default for Batsat {
    fn default() -> Self {
        let mut solver = batsat::Solver::new(batsat::SolverOpts::default(), Conflicts::default());
        // Number 0 has no negation.
        solver.new_var_default();
        Self {
            solver,
            clauses: 0,
            buffer: Vec::new(),
        }
    }
}

fn external(literal: Literal) -> Lit {
    Lit::new(
        Var::unsafe_from_idx(literal.0.unsigned_abs()),
        literal.0 > 0,
    )
}

impl SatSolver for Batsat {
    fn variable(&mut self, first: bool) -> Literal {
        let polarity = if first { lbool::TRUE } else { lbool::FALSE };
        let variable = self.solver.new_var(polarity, true);
        Literal(variable.idx() as i32)
    }

    fn clause(&mut self, literals: &[Literal]) {
        self.clauses += 1;
        self.buffer.clear();
        self.buffer.extend(literals.iter().copied().map(external));
        self.solver.add_clause_reuse(&mut self.buffer);
    }

    fn solve(&mut self, assumptions: &[Literal], most_conflicts: u64) -> Answer {
        let assumptions: Vec<Lit> = assumptions.iter().copied().map(external).collect();
        let conflicts = self.solver.cb_mut();
        conflicts.most = conflicts.seen.saturating_add(most_conflicts);
        match self.solver.solve_limited(&assumptions) {
            answer if answer == lbool::TRUE => Answer::Satisfiable,
            answer if answer == lbool::FALSE => Answer::Unsatisfiable,
            _ => Answer::Unknown,
        }
    }

    fn value(&self, literal: Literal) -> bool {
        self.solver.value_lit(external(literal)) == lbool::TRUE
    }

    fn core(&self) -> Vec<Literal> {
        // The solver gives the negated assumptions, whatever its documentation says.
        let literal = |lit: &Lit| {
            let number = lit.var().idx() as i32;
            Literal(if lit.sign() { -number } else { number })
        };
        self.solver.unsat_core().iter().map(literal).collect()
    }

    fn clauses(&self) -> u64 {
        self.clauses
    }

    fn conflicts(&self) -> u64 {
        self.solver.cb().seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_core_names_assumptions_that_clash() {
        let mut solver = Batsat::default();
        let [a, b, c] = [(); 3].map(|()| solver.variable(false));
        solver.clause(&[!a, !b]);
        assert_eq!(solver.solve(&[c, a], 100), Answer::Satisfiable);
        assert!(solver.value(a) && solver.value(!b) && solver.value(c));
        assert_eq!(solver.solve(&[c, a, b], 100), Answer::Unsatisfiable);
        let mut core = solver.core();
        core.sort();
        assert_eq!(core, [a, b]);
        assert_eq!(solver.solve(&[c, b], 100), Answer::Satisfiable);
    }

    #[test]
    fn a_hard_problem_is_given_up_at_the_limit() {
        // Nine pigeons, eight holes.
        let mut solver = Batsat::default();
        let holes: Vec<Vec<Literal>> = (0..9)
            .map(|_| (0..8).map(|_| solver.variable(true)).collect())
            .collect();
        for pigeon in &holes {
            solver.clause(pigeon);
        }
        for (number, one) in holes.iter().enumerate() {
            for two in &holes[number + 1..] {
                for (a, b) in one.iter().zip(two) {
                    solver.clause(&[!*a, !*b]);
                }
            }
        }
        assert_eq!(solver.solve(&[], 50), Answer::Unknown);
        assert_eq!(solver.solve(&[], 1_000_000), Answer::Unsatisfiable);
    }
}
