-- Programs on other machines that serve the devices of their adb servers. The token of a host is stored as its SHA-256.
CREATE TABLE device_hosts (
  host_id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  token_sha256 TEXT NOT NULL UNIQUE,
  created_at TEXT NOT NULL,
  revoked_at TEXT
) STRICT;
CREATE UNIQUE INDEX device_hosts_by_name ON device_hosts (name) WHERE revoked_at IS NULL;
