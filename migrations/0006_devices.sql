-- Every device ever seen, with what it last said of itself.
CREATE TABLE devices (
  serial TEXT PRIMARY KEY,
  state TEXT NOT NULL,
  simulated INTEGER NOT NULL,
  label TEXT,
  facts TEXT NOT NULL,
  first_seen_at TEXT NOT NULL,
  last_seen_at TEXT NOT NULL
) STRICT;

-- One holder per device; others are refused until it is given back or runs out.
CREATE TABLE device_leases (
  serial TEXT PRIMARY KEY,
  lease_id TEXT NOT NULL UNIQUE,
  owner_user_id TEXT NOT NULL,
  purpose TEXT,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT;

-- The request behind a job of kind device.execution; the job row says how far it has come.
CREATE TABLE executions (
  execution_id TEXT PRIMARY KEY,
  owner_user_id TEXT NOT NULL,
  command_id TEXT NOT NULL,
  task_id TEXT NOT NULL,
  source TEXT NOT NULL,
  serial TEXT NOT NULL,
  state TEXT NOT NULL,
  priority INTEGER NOT NULL,
  payload TEXT NOT NULL,
  payload_sha256 TEXT NOT NULL,
  envelope TEXT,
  current_step_id TEXT,
  -- Results of the steps done so far, kept even if the rest never comes.
  step_results TEXT NOT NULL,
  queued_at TEXT NOT NULL,
  started_at TEXT,
  settled_at TEXT,
  deadline_at TEXT NOT NULL,
  UNIQUE (owner_user_id, command_id)
) STRICT;
CREATE INDEX executions_by_owner ON executions (owner_user_id, queued_at);
CREATE INDEX executions_by_device ON executions (serial, queued_at);
CREATE INDEX executions_open ON executions (serial) WHERE state IN ('queued', 'running');

-- Pictures and trees kept as evidence; the bytes are files named by their hash.
CREATE TABLE evidence (
  evidence_id TEXT PRIMARY KEY,
  owner_user_id TEXT NOT NULL,
  serial TEXT NOT NULL,
  execution_id TEXT,
  learn_session_id TEXT,
  media_type TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX evidence_by_session ON evidence (learn_session_id) WHERE learn_session_id IS NOT NULL;
CREATE INDEX evidence_by_hash ON evidence (sha256);
