-- How an installation went, step by step; a restart goes on from here.
CREATE TABLE install_sagas (
  saga_id TEXT PRIMARY KEY,
  owner_user_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  proposal_id TEXT,
  learn_session_id TEXT,
  ability_id TEXT NOT NULL,
  skill_slug TEXT NOT NULL,
  version INTEGER NOT NULL,
  install_lane TEXT NOT NULL,
  status TEXT NOT NULL,
  step TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  -- Why it stopped. On one that still runs: why it is being taken back.
  error_code TEXT,
  error_reason TEXT,
  files_written TEXT NOT NULL,
  previous TEXT NOT NULL,
  started_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
-- One at a time for each ability.
CREATE UNIQUE INDEX install_sagas_open ON install_sagas (ability_id)
  WHERE status IN ('running', 'degraded');

-- Every version that was ever installed; the ability names the current one.
CREATE TABLE ability_versions (
  ability_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  proposal_id TEXT,
  draft_hash TEXT NOT NULL,
  install_lane TEXT NOT NULL,
  restored_from INTEGER,
  -- The words the ability goes by in this version.
  described TEXT NOT NULL,
  recipe TEXT,
  manifest TEXT NOT NULL,
  metadata TEXT NOT NULL,
  -- Whether the files are on disk, here and in the agent's workspace.
  materialized INTEGER NOT NULL,
  projected INTEGER NOT NULL,
  partial_state TEXT,
  installed_at TEXT NOT NULL,
  retired_at TEXT,
  PRIMARY KEY (ability_id, version)
) STRICT, WITHOUT ROWID;

-- What the files of a version must hold.
CREATE TABLE installed_files (
  ability_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  place TEXT NOT NULL,
  path TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (ability_id, version, place, path)
) STRICT, WITHOUT ROWID;

-- The bridge as it was last built well: one row of marks, and its entries.
CREATE TABLE capability_bridge (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  bridge_state TEXT NOT NULL,
  built_at TEXT NOT NULL,
  content_hash TEXT NOT NULL
) STRICT;
INSERT INTO capability_bridge VALUES (1, 'current', '1970-01-01T00:00:00.000Z',
  '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945');
CREATE TABLE bridge_entries (
  capability_id TEXT PRIMARY KEY,
  entry TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE capability_health (
  capability_id TEXT PRIMARY KEY,
  health_status TEXT NOT NULL,
  session_availability TEXT NOT NULL,
  reason_codes TEXT NOT NULL,
  last_verified_at TEXT,
  cooldown_until TEXT,
  canary_successes INTEGER NOT NULL,
  -- Failures up to this position are kept and no longer counted.
  counted_after INTEGER NOT NULL
) STRICT;

CREATE TABLE capability_failures (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  capability_id TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  critical INTEGER NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX capability_failures_by_capability ON capability_failures (capability_id, created_at);

CREATE TABLE capability_stats (
  capability_id TEXT PRIMARY KEY,
  uses INTEGER NOT NULL,
  successes INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  fallback_uses INTEGER NOT NULL,
  last_used_at TEXT
) STRICT;

CREATE INDEX abilities_by_slug ON abilities (skill_slug) WHERE skill_slug IS NOT NULL;
