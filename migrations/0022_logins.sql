-- A login names the token that opened it and ends with it. Earlier logins do not, so they end now.
DROP TABLE logins;
CREATE TABLE logins (
  login_id TEXT PRIMARY KEY,
  cookie_sha256 TEXT NOT NULL UNIQUE,
  token_sha256 TEXT NOT NULL,
  user_id TEXT NOT NULL,
  privilege TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT;
CREATE INDEX logins_by_token ON logins (token_sha256);
