ALTER TABLE proposals ADD COLUMN draft_hash TEXT;
ALTER TABLE proposals ADD COLUMN active_validation_run_id TEXT;
ALTER TABLE proposals ADD COLUMN saga_id TEXT;

-- Every draft a proposal ever had; what its files said lies in draft_contents.
CREATE TABLE proposal_revisions (
  proposal_id TEXT NOT NULL,
  revision INTEGER NOT NULL,
  author_user_id TEXT NOT NULL,
  author_kind TEXT NOT NULL,
  revision_instructions TEXT NOT NULL,
  -- What this revision changed, and all that was ever changed by hand up to it.
  edited_fields TEXT NOT NULL,
  edits TEXT NOT NULL,
  draft_hash TEXT NOT NULL,
  files TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (proposal_id, revision)
) STRICT, WITHOUT ROWID;

CREATE TABLE draft_contents (
  sha256 TEXT PRIMARY KEY,
  content TEXT NOT NULL
) STRICT;

-- What was demonstrated for an input. The owner's alone, and gone with what was observed.
CREATE TABLE proposal_examples (
  proposal_id TEXT NOT NULL,
  name TEXT NOT NULL,
  learn_session_id TEXT,
  value TEXT NOT NULL,
  PRIMARY KEY (proposal_id, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX proposal_examples_by_session ON proposal_examples (learn_session_id);

CREATE TABLE proposal_dependencies (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  proposal_id TEXT NOT NULL,
  dependency_kind TEXT NOT NULL,
  dependency_ref TEXT NOT NULL,
  required INTEGER NOT NULL,
  UNIQUE (proposal_id, dependency_kind, dependency_ref)
) STRICT;

CREATE TABLE validation_runs (
  validation_run_id TEXT PRIMARY KEY,
  proposal_id TEXT NOT NULL,
  owner_user_id TEXT NOT NULL,
  run_kind TEXT NOT NULL,
  run_label TEXT,
  draft_hash TEXT,
  selected_tests TEXT NOT NULL,
  serial TEXT,
  -- Values given for this run; forgotten when it ends.
  inputs TEXT,
  -- The execution a rehearsal or a canary runs as.
  execution_id TEXT,
  overall_result TEXT NOT NULL,
  reason TEXT,
  result_refs TEXT NOT NULL,
  started_at TEXT NOT NULL,
  completed_at TEXT
) STRICT;
CREATE INDEX validation_runs_by_proposal ON validation_runs (proposal_id, started_at);
-- One run of a proposal at a time.
CREATE UNIQUE INDEX validation_runs_open ON validation_runs (proposal_id) WHERE completed_at IS NULL;

-- Each run as it was when it began and when it ended; the last entry of a run counts.
CREATE TABLE validation_run_log (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  validation_run_id TEXT NOT NULL,
  body TEXT NOT NULL
) STRICT;

CREATE TABLE validation_steps (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  validation_run_id TEXT NOT NULL,
  test_case_id TEXT NOT NULL,
  label TEXT NOT NULL,
  result TEXT NOT NULL,
  required INTEGER NOT NULL,
  details TEXT,
  created_at TEXT NOT NULL,
  UNIQUE (validation_run_id, test_case_id)
) STRICT;

-- What an execution may do, where it may not do everything.
CREATE TABLE execution_policies (
  execution_id TEXT PRIMARY KEY,
  policy TEXT NOT NULL
) STRICT;

-- Each thing such an execution was about to do, and whether it was let.
CREATE TABLE policy_checks (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  execution_id TEXT NOT NULL,
  action_id TEXT NOT NULL,
  action_type TEXT NOT NULL,
  target TEXT NOT NULL,
  admitted INTEGER NOT NULL,
  reason TEXT,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX policy_checks_by_execution ON policy_checks (execution_id, position);
