CREATE TABLE tokens (
  token_id TEXT PRIMARY KEY,
  token_sha256 TEXT NOT NULL UNIQUE,
  user_id TEXT NOT NULL,
  label TEXT NOT NULL,
  privilege TEXT NOT NULL,
  created_at TEXT NOT NULL,
  revoked_at TEXT
) STRICT;

-- Browser logins: the cookie's hash, never the cookie.
CREATE TABLE logins (
  cookie_sha256 TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  privilege TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT;
