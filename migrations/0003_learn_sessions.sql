CREATE TABLE learn_sessions (
  learn_session_id TEXT PRIMARY KEY,
  owner_user_id TEXT NOT NULL,
  entry_mode TEXT NOT NULL,
  observation_mode TEXT NOT NULL,
  build_policy TEXT NOT NULL,
  execution_mode TEXT NOT NULL,
  target_kind TEXT NOT NULL,
  state TEXT NOT NULL,
  actor_mode TEXT NOT NULL,
  project_id TEXT,
  room_id TEXT,
  target_skill_id TEXT,
  target_app_family TEXT,
  target_app_whitelist TEXT NOT NULL,
  device_serial TEXT,
  active_trace_ids TEXT NOT NULL,
  active_observation_batch_ids TEXT NOT NULL,
  proposal_id TEXT,
  interpretation_id TEXT,
  validation_run_id TEXT,
  ability_id TEXT,
  start_boundary_ref TEXT,
  stop_boundary_ref TEXT,
  test_policy_ref TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  -- Ours, never required by a client.
  state_entered_at TEXT NOT NULL,
  capture_accumulated_ms INTEGER NOT NULL,
  terminal_at TEXT,
  archived_at TEXT,
  observations_purged_at TEXT,
  retain_observations INTEGER NOT NULL,
  text_capture_consent INTEGER NOT NULL,
  ask_before_build INTEGER NOT NULL,
  allow_private_install INTEGER NOT NULL,
  requested_safe_target_ref TEXT,
  adapters_armed TEXT NOT NULL,
  redaction_salt TEXT NOT NULL,
  captured_event_count INTEGER NOT NULL,
  off_target_events_dropped INTEGER NOT NULL,
  revision INTEGER NOT NULL
) STRICT;
CREATE INDEX learn_sessions_by_owner ON learn_sessions (owner_user_id, created_at);
CREATE INDEX learn_sessions_by_state ON learn_sessions (state, state_entered_at);
CREATE INDEX learn_sessions_by_terminal ON learn_sessions (terminal_at) WHERE terminal_at IS NOT NULL;
CREATE INDEX learn_sessions_by_change ON learn_sessions (updated_at, learn_session_id)
  WHERE archived_at IS NULL;

CREATE TABLE boundaries (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  boundary_id TEXT NOT NULL UNIQUE,
  learn_session_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  source TEXT NOT NULL,
  label TEXT,
  source_event_id TEXT,
  step_kind_hint TEXT,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX boundaries_by_session ON boundaries (learn_session_id, position);

CREATE TABLE observations (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  event_id TEXT NOT NULL,
  learn_session_id TEXT NOT NULL,
  adapter_kind TEXT NOT NULL,
  app_family TEXT,
  bundle_id TEXT,
  window_title TEXT,
  action_label TEXT NOT NULL,
  control_surface TEXT,
  target_ref TEXT,
  before_state_ref TEXT,
  after_state_ref TEXT,
  caused_state_change INTEGER NOT NULL,
  redaction_mode TEXT NOT NULL,
  created_at TEXT NOT NULL,
  ingest_seq INTEGER NOT NULL,
  batch_id TEXT NOT NULL,
  received_at TEXT NOT NULL,
  UNIQUE (learn_session_id, event_id)
) STRICT;
CREATE INDEX observations_by_session ON observations (learn_session_id, position);

CREATE TABLE observation_batches (
  learn_session_id TEXT NOT NULL,
  batch_request_id TEXT NOT NULL,
  reply TEXT NOT NULL,
  PRIMARY KEY (learn_session_id, batch_request_id)
) STRICT, WITHOUT ROWID;

-- What was typed without consent: a salted hash and the number that stands for it, never the text.
CREATE TABLE observed_texts (
  learn_session_id TEXT NOT NULL,
  text_hmac TEXT NOT NULL,
  number INTEGER NOT NULL,
  PRIMARY KEY (learn_session_id, text_hmac)
) STRICT, WITHOUT ROWID;

CREATE TABLE adapters (
  adapter_id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  healthy INTEGER NOT NULL,
  last_seen_at TEXT,
  last_error_code TEXT
) STRICT;

-- A capture that ended, in the shape execution traces have.
CREATE TABLE traces (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  trace_id TEXT NOT NULL UNIQUE,
  owner_user_id TEXT NOT NULL,
  learn_session_id TEXT,
  body TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;

CREATE TABLE checkpoint_receipts (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  checkpoint_receipt_id TEXT NOT NULL UNIQUE,
  owner_user_id TEXT NOT NULL,
  checkpoint_id TEXT NOT NULL,
  status TEXT NOT NULL,
  evidence TEXT NOT NULL,
  reason TEXT,
  learn_session_id TEXT,
  dispatch_id TEXT,
  ability_id TEXT,
  proposal_id TEXT,
  unknown_checkpoint INTEGER NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX checkpoint_receipts_by_session ON checkpoint_receipts (learn_session_id, position)
  WHERE learn_session_id IS NOT NULL;
CREATE INDEX checkpoint_receipts_by_dispatch ON checkpoint_receipts (dispatch_id, position)
  WHERE dispatch_id IS NOT NULL;
CREATE INDEX checkpoint_receipts_by_ability ON checkpoint_receipts (ability_id, position);

CREATE TABLE checkpoint_aggregates (
  ability_id TEXT NOT NULL,
  checkpoint_id TEXT NOT NULL,
  reached INTEGER NOT NULL,
  skipped INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  first_at TEXT NOT NULL,
  last_at TEXT NOT NULL,
  PRIMARY KEY (ability_id, checkpoint_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE outbox (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  outbox_id TEXT NOT NULL UNIQUE,
  target TEXT NOT NULL,
  kind TEXT NOT NULL,
  checkpoint_receipt_id TEXT NOT NULL,
  ability_id TEXT,
  dispatch_id TEXT,
  summary TEXT NOT NULL,
  created_at TEXT NOT NULL,
  delivered_at TEXT
) STRICT;
CREATE INDEX outbox_by_target ON outbox (target, position);
