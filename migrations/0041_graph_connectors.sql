-- What the registration of a Microsoft 365 server says besides what every server has.
CREATE TABLE connector_m365 (
  server_id TEXT PRIMARY KEY,
  requested_scopes TEXT NOT NULL,
  verified_obo_chain INTEGER NOT NULL,
  allow_background_service_ops INTEGER NOT NULL
) STRICT;

-- Files and texts that connectors returned. The file is named by its digest.
CREATE TABLE connector_contents (
  content_id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  server_id TEXT NOT NULL,
  dispatch_id TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  media_type TEXT NOT NULL,
  file_name TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;

CREATE INDEX connector_contents_by_time ON connector_contents (created_at);
CREATE INDEX connector_contents_by_user ON connector_contents (user_id);
