-- What an execution is for, in its caller's words.
ALTER TABLE executions ADD COLUMN goal TEXT;
ALTER TABLE executions ADD COLUMN project_id TEXT;

-- What an execution did, with the screens around each step: raw observation, forgotten in time.
CREATE TABLE execution_steps (
  execution_id TEXT PRIMARY KEY,
  owner_user_id TEXT NOT NULL,
  steps TEXT NOT NULL,
  kept_at TEXT NOT NULL
) STRICT;
CREATE INDEX execution_steps_by_age ON execution_steps (kept_at);
CREATE INDEX evidence_by_execution ON evidence (execution_id) WHERE execution_id IS NOT NULL;

-- The executions a session learns from.
CREATE TABLE learned_executions (
  learn_session_id TEXT NOT NULL,
  execution_id TEXT NOT NULL,
  PRIMARY KEY (learn_session_id, execution_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX learned_executions_by_execution ON learned_executions (execution_id);

-- Who decides on what the daemon itself proposes; absent where a person owns the session.
ALTER TABLE learn_sessions ADD COLUMN reviewer_user_id TEXT;

CREATE TABLE mining_settings (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  body TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

-- Runs of one user that pursue one goal in one app.
CREATE TABLE trace_clusters (
  cluster_id TEXT PRIMARY KEY,
  owner_user_id TEXT NOT NULL,
  app_family TEXT NOT NULL,
  normalized_goal TEXT NOT NULL,
  source_mode TEXT NOT NULL,
  -- The figures and gates as of the last look.
  view TEXT NOT NULL,
  learn_session_id TEXT UNIQUE,
  proposal_id TEXT,
  -- What is asked before anything is drafted, as fields of questions.
  questions TEXT NOT NULL,
  require_tests INTEGER NOT NULL,
  -- How many runs it had when building it went wrong; tried again only when there are more.
  failed_at_traces INTEGER,
  build_error TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX trace_clusters_by_owner ON trace_clusters (owner_user_id, app_family, created_at);

-- Each run that was counted, in the cluster it belongs to; kept when its screens are forgotten.
CREATE TABLE clustered_traces (
  trace_id TEXT PRIMARY KEY,
  execution_id TEXT NOT NULL UNIQUE,
  cluster_id TEXT NOT NULL,
  facts TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX clustered_traces_by_cluster ON clustered_traces (cluster_id, created_at);

CREATE TABLE mining_scans (
  scan_id TEXT PRIMARY KEY,
  asked_by TEXT NOT NULL,
  occasion TEXT NOT NULL,
  state TEXT NOT NULL,
  result TEXT,
  started_at TEXT NOT NULL,
  finished_at TEXT
) STRICT;
CREATE INDEX mining_scans_by_start ON mining_scans (started_at);
