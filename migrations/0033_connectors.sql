CREATE TABLE connector_auth_profiles (
  auth_profile_id TEXT PRIMARY KEY,
  provider TEXT NOT NULL,
  auth_mode TEXT NOT NULL,
  secret_ref TEXT,
  token_ref TEXT,
  scopes TEXT NOT NULL,
  scopes_granted TEXT NOT NULL,
  tenant_id TEXT,
  client_id TEXT,
  redirect_uri TEXT,
  token_subject_kind TEXT NOT NULL,
  incremental_consent_supported INTEGER NOT NULL,
  auth_challenge_supported INTEGER NOT NULL,
  expires_at TEXT,
  refresh_at TEXT,
  refresh_policy TEXT NOT NULL,
  status TEXT NOT NULL,
  last_auth_error_code TEXT,
  shared_profile INTEGER NOT NULL,
  -- Whether the profile was made for one server and goes with it.
  disposable INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE TABLE connector_servers (
  server_id TEXT PRIMARY KEY,
  provider TEXT NOT NULL,
  display_name TEXT NOT NULL,
  endpoint_url TEXT,
  transport TEXT NOT NULL,
  interaction_mode TEXT NOT NULL,
  auth_profile_id TEXT,
  protocol_revision TEXT,
  tool_schema_hash TEXT,
  rate_limit_profile TEXT NOT NULL,
  data_classes TEXT NOT NULL,
  supported_tools TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  active_build_surface INTEGER NOT NULL,
  supports_smoke_test INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE INDEX connector_servers_by_profile ON connector_servers (auth_profile_id);

CREATE TABLE connector_health (
  server_id TEXT PRIMARY KEY,
  record TEXT NOT NULL
) STRICT;

CREATE TABLE connector_policies (
  target_key TEXT PRIMARY KEY,
  target TEXT NOT NULL,
  decision TEXT NOT NULL
) STRICT;

CREATE TABLE connector_receipts (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  receipt_id TEXT NOT NULL UNIQUE,
  server_id TEXT,
  receipt_kind TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at TEXT NOT NULL,
  summary TEXT NOT NULL,
  correlation_id TEXT,
  auth_profile_id TEXT,
  identity_asserted_kind TEXT,
  identity_asserted_ref TEXT
) STRICT;

CREATE INDEX connector_receipts_by_server ON connector_receipts (server_id, position);
