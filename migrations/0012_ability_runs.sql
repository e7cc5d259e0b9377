-- One use of an ability on a device. The execution does the work; this says what it meant.
CREATE TABLE ability_runs (
  run_id TEXT PRIMARY KEY,
  execution_id TEXT NOT NULL UNIQUE,
  owner_user_id TEXT NOT NULL,
  ability_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  state TEXT NOT NULL,
  dispatch_id TEXT,
  project_id TEXT,
  serial TEXT NOT NULL,
  -- Names only: what was given is the caller's own.
  input_names TEXT NOT NULL,
  -- Which action stands for which step, checkpoint or verification.
  plan TEXT NOT NULL,
  outcome TEXT NOT NULL,
  use_receipt_id TEXT,
  created_at TEXT NOT NULL,
  settled_at TEXT
) STRICT;
CREATE INDEX ability_runs_by_owner ON ability_runs (owner_user_id, ability_id, created_at);

CREATE TABLE use_receipts (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  receipt_id TEXT NOT NULL UNIQUE,
  owner_user_id TEXT NOT NULL,
  capability_id TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX use_receipts_by_owner ON use_receipts (owner_user_id, position);
