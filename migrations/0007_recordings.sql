CREATE TABLE recordings (
  recording_id TEXT PRIMARY KEY,
  owner_user_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  serial TEXT NOT NULL,
  source TEXT NOT NULL,
  state TEXT NOT NULL,
  learn_session_id TEXT,
  started_at TEXT NOT NULL,
  stopped_at TEXT,
  failure_code TEXT
) STRICT;
CREATE INDEX recordings_by_device ON recordings (serial, started_at);
-- One recording per device at a time.
CREATE UNIQUE INDEX recordings_active ON recordings (serial) WHERE state = 'recording';

CREATE TABLE recording_events (
  recording_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  -- The event without its tree, which is evidence kept as a file.
  body TEXT NOT NULL,
  snapshot_evidence_id TEXT,
  PRIMARY KEY (recording_id, seq)
) STRICT, WITHOUT ROWID;
