-- What kept the script of a run apart from the daemon.
ALTER TABLE skill_runs ADD COLUMN containment TEXT;
