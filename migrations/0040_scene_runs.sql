-- Runs of scenes in a browser, and what came of them.
CREATE TABLE scene_runs (
  run_id TEXT PRIMARY KEY,
  owner_user_id TEXT NOT NULL,
  scene_id TEXT NOT NULL,
  state TEXT NOT NULL,
  phase TEXT,
  instruction TEXT,
  plan TEXT NOT NULL,
  profile TEXT,
  timeout_ms INTEGER NOT NULL,
  outcome TEXT,
  created_at TEXT NOT NULL,
  started_at TEXT,
  settled_at TEXT
) STRICT;
CREATE INDEX scene_runs_by_owner ON scene_runs (owner_user_id, created_at);

-- The reports that runs exported. The contents are files that are named by their digest.
CREATE TABLE scene_run_files (
  run_id TEXT NOT NULL,
  format TEXT NOT NULL,
  file_name TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  expires_at TEXT NOT NULL,
  PRIMARY KEY (run_id, format)
) STRICT, WITHOUT ROWID;
CREATE INDEX scene_run_files_by_expiry ON scene_run_files (expires_at);
CREATE INDEX scene_run_files_by_digest ON scene_run_files (sha256);

-- Sign-ins of users to domains. The cookies are entries of the vault.
CREATE TABLE scene_profiles (
  profile_id TEXT PRIMARY KEY,
  owner_user_id TEXT NOT NULL,
  domain TEXT NOT NULL,
  name TEXT NOT NULL,
  cookies INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  last_used_at TEXT
) STRICT;
CREATE UNIQUE INDEX scene_profiles_by_name ON scene_profiles (owner_user_id, domain, name);
