-- Who signed in, as the authorization server names them.
ALTER TABLE connector_auth_profiles ADD COLUMN subject TEXT;

-- What a server said about its tools when it was last asked.
CREATE TABLE connector_tools (
  server_id TEXT NOT NULL,
  tool_name TEXT NOT NULL,
  title TEXT,
  description TEXT,
  input_schema TEXT NOT NULL,
  annotations TEXT NOT NULL,
  PRIMARY KEY (server_id, tool_name)
) STRICT;

CREATE TABLE connector_dispatches (
  dispatch_id TEXT PRIMARY KEY,
  correlation_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  server_id TEXT NOT NULL,
  tool_name TEXT NOT NULL,
  action_class TEXT NOT NULL,
  status TEXT NOT NULL,
  approval_mode TEXT NOT NULL,
  max_duration_ms INTEGER NOT NULL,
  project_id TEXT,
  error_code TEXT,
  error_message TEXT,
  policy_trace TEXT NOT NULL,
  created_at TEXT NOT NULL,
  started_at TEXT,
  completed_at TEXT
) STRICT;

CREATE INDEX connector_dispatches_by_server ON connector_dispatches (server_id, status);

-- Calls that wait for the decision of a person, and what was decided.
CREATE TABLE connector_approvals (
  dispatch_id TEXT PRIMARY KEY,
  correlation_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  server_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  tool_name TEXT NOT NULL,
  action_class TEXT NOT NULL,
  request_summary TEXT NOT NULL,
  request_payload_ref TEXT NOT NULL,
  status TEXT NOT NULL,
  paused_dispatch_ref TEXT NOT NULL,
  effective_policy_target TEXT NOT NULL,
  data_class TEXT,
  why_needed TEXT,
  session_ref TEXT,
  turn_ref TEXT,
  project_id TEXT,
  decision TEXT,
  decision_reason TEXT,
  approved_by TEXT,
  decided_at TEXT,
  expires_at TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE INDEX connector_approvals_by_status ON connector_approvals (status, updated_at);

-- Approvals that cover later calls of the same tool.
CREATE TABLE connector_grants (
  dispatch_id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  server_id TEXT NOT NULL,
  tool_name TEXT NOT NULL,
  session_ref TEXT,
  turn_ref TEXT,
  expires_at TEXT NOT NULL
) STRICT;
