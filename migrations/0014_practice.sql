-- A search for a way to a goal. The job of the same id does the work; this says how far it came.
CREATE TABLE practices (
  practice_id TEXT PRIMARY KEY,
  learn_session_id TEXT NOT NULL,
  owner_user_id TEXT NOT NULL,
  goal TEXT NOT NULL,
  application_id TEXT NOT NULL,
  serial TEXT NOT NULL,
  policy TEXT NOT NULL,
  state TEXT NOT NULL,
  outcome TEXT,
  summary TEXT,
  actions_used INTEGER NOT NULL,
  max_actions INTEGER NOT NULL,
  screens_seen INTEGER NOT NULL,
  ways_tried INTEGER NOT NULL,
  closed_ways TEXT NOT NULL,
  path TEXT NOT NULL,
  proposal_id TEXT,
  created_at TEXT NOT NULL,
  deadline_at TEXT NOT NULL,
  ended_at TEXT
) STRICT;
CREATE INDEX practices_by_session ON practices (learn_session_id, created_at);
-- One at a time for each session.
CREATE UNIQUE INDEX practices_open ON practices (learn_session_id) WHERE ended_at IS NULL;

-- What the search saw and tried, in order: it can be taken up again from here. Raw observations, kept no longer
-- than those.
CREATE TABLE practice_tries (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  practice_id TEXT NOT NULL,
  body TEXT NOT NULL
) STRICT;
CREATE INDEX practice_tries_by_practice ON practice_tries (practice_id, position);

-- What a person says while an agent acts: what helps, and what must hold.
CREATE TABLE coaching_notes (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  note_id TEXT NOT NULL UNIQUE,
  learn_session_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  said TEXT NOT NULL,
  source_event_id TEXT,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX coaching_notes_by_session ON coaching_notes (learn_session_id, position);

-- Which build of an app a session saw, and on what.
CREATE TABLE shown_apps (
  learn_session_id TEXT NOT NULL,
  app TEXT NOT NULL,
  version_name TEXT,
  version_code INTEGER,
  android_api INTEGER,
  device_model TEXT,
  locale TEXT,
  PRIMARY KEY (learn_session_id, app)
) STRICT, WITHOUT ROWID;
