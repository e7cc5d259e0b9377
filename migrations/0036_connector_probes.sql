-- When each server is asked next whether it answers.
CREATE TABLE connector_probes (
  server_id TEXT PRIMARY KEY,
  next_probe_at TEXT NOT NULL,
  last_probe_at TEXT
) STRICT;
