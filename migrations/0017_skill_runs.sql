-- Scripts of skills that were run, and what came of it.
CREATE TABLE skill_runs (
  run_id TEXT PRIMARY KEY,
  owner_user_id TEXT NOT NULL,
  skill_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  state TEXT NOT NULL,
  serial TEXT,
  arguments TEXT NOT NULL,
  timeout_ms INTEGER NOT NULL,
  expect_contains TEXT,
  runtime_verification INTEGER NOT NULL,
  operator_package TEXT NOT NULL,
  -- The device is kept under this lease; absent when its owner had one of their own.
  lease_id TEXT,
  outcome TEXT,
  stdout TEXT NOT NULL,
  stderr TEXT NOT NULL,
  log_folder TEXT,
  created_at TEXT NOT NULL,
  started_at TEXT,
  settled_at TEXT
) STRICT;
CREATE INDEX skill_runs_by_skill ON skill_runs (owner_user_id, skill_id, created_at);
CREATE INDEX skill_runs_settled ON skill_runs (settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX skill_runs_open ON skill_runs (state) WHERE settled_at IS NULL;

-- What a script did on devices, in order.
CREATE TABLE skill_run_calls (
  run_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  execution_id TEXT NOT NULL,
  PRIMARY KEY (run_id, position)
) STRICT, WITHOUT ROWID;
