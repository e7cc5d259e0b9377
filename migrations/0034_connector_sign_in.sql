-- Secrets, encrypted with a key that is not in the database.
CREATE TABLE vault_entries (
  entry_ref TEXT PRIMARY KEY,
  key_id TEXT NOT NULL,
  sealed TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE TABLE connector_sign_ins (
  sign_in_id TEXT PRIMARY KEY,
  -- The SHA-256 of the state that the browser brings back.
  state_hash TEXT NOT NULL UNIQUE,
  server_id TEXT NOT NULL,
  auth_profile_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  redirect_uri TEXT NOT NULL,
  scopes TEXT NOT NULL,
  status TEXT NOT NULL,
  correlation_id TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE INDEX connector_sign_ins_by_status ON connector_sign_ins (status);

CREATE TABLE connector_challenges (
  challenge_id TEXT PRIMARY KEY,
  server_id TEXT NOT NULL,
  auth_profile_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  scopes TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE INDEX connector_challenges_by_server ON connector_challenges (server_id, status);
