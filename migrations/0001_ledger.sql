-- What every command leaves behind: events (one global order), receipts, remembered replies, jobs.
CREATE TABLE events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  timeline_event_id TEXT NOT NULL,
  subject TEXT NOT NULL,
  learn_session_id TEXT,
  -- Order within the subject, the SSE id; absent for events that are not delivered.
  stream_seq INTEGER,
  kind TEXT NOT NULL,
  from_state TEXT,
  to_state TEXT,
  ref TEXT,
  payload TEXT NOT NULL,
  correlation_id TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX events_by_stream ON events (subject, stream_seq) WHERE stream_seq IS NOT NULL;
CREATE INDEX events_timeline ON events (learn_session_id, seq) WHERE learn_session_id IS NOT NULL;

CREATE TABLE receipts (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  receipt_id TEXT NOT NULL UNIQUE,
  owner_user_id TEXT NOT NULL,
  receipt_kind TEXT NOT NULL,
  status TEXT NOT NULL,
  learn_session_id TEXT,
  proposal_id TEXT,
  interpretation_id TEXT,
  validation_run_id TEXT,
  ability_id TEXT,
  saga_id TEXT,
  actor TEXT NOT NULL,
  actor_ref TEXT,
  from_state TEXT,
  to_state TEXT,
  summary TEXT NOT NULL,
  reason TEXT,
  correlation_id TEXT NOT NULL,
  details TEXT NOT NULL,
  created_at TEXT NOT NULL,
  -- 'YYYY-MM' once rolled into that month's archive file.
  archive_month TEXT
) STRICT;
CREATE INDEX receipts_by_owner ON receipts (owner_user_id, position);
CREATE INDEX receipts_by_session ON receipts (learn_session_id, position)
  WHERE learn_session_id IS NOT NULL;
CREATE INDEX receipts_unrolled ON receipts (created_at) WHERE archive_month IS NULL;
CREATE INDEX receipts_by_month ON receipts (archive_month, position) WHERE archive_month IS NOT NULL;

CREATE TABLE idempotency (
  user_id TEXT NOT NULL,
  route TEXT NOT NULL,
  request_id TEXT NOT NULL,
  body_sha256 TEXT NOT NULL,
  status INTEGER NOT NULL,
  reply TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  PRIMARY KEY (user_id, route, request_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_expiry ON idempotency (expires_at);

CREATE TABLE jobs (
  job_id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  lane TEXT NOT NULL,
  state TEXT NOT NULL,
  priority INTEGER NOT NULL DEFAULT 0,
  -- Whose work it is; principals of one lane take turns.
  principal TEXT NOT NULL,
  payload TEXT NOT NULL,
  result TEXT,
  run_after TEXT NOT NULL,
  deadline_at TEXT,
  started_at TEXT,
  settled_at TEXT,
  correlation_id TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX jobs_waiting ON jobs (lane, priority DESC, created_at) WHERE state = 'queued';
CREATE INDEX jobs_open ON jobs (state) WHERE state IN ('queued', 'running');

-- How far each mirror file has come.
CREATE TABLE mirror_cursors (
  name TEXT PRIMARY KEY,
  position INTEGER NOT NULL
) STRICT;
CREATE TABLE mirror_logs (
  path TEXT PRIMARY KEY,
  position INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  -- Lines in the file: fewer rows than this up to `position` means some were removed since.
  line_count INTEGER NOT NULL
) STRICT;
