//! Outcomes of models.
