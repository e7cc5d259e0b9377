CREATE TABLE documents (
  document_ref TEXT PRIMARY KEY,
  owner_user_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  file_name TEXT NOT NULL,
  media_type TEXT NOT NULL,
  byte_size INTEGER NOT NULL,
  content_hash_sha256 TEXT NOT NULL,
  data_class TEXT NOT NULL,
  -- The operation that wrote the document.
  operation_id TEXT,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT;

CREATE INDEX documents_by_owner ON documents (owner_user_id, created_at);
CREATE INDEX documents_by_content ON documents (content_hash_sha256);
CREATE INDEX documents_by_expiry ON documents (expires_at);

-- What the document adapter did. The call with the same id has the state.
CREATE TABLE document_operations (
  operation_id TEXT PRIMARY KEY,
  owner_user_id TEXT NOT NULL,
  capability TEXT NOT NULL,
  source_ref TEXT NOT NULL,
  data_class TEXT NOT NULL,
  -- Whether the adapter lacked programs at that time.
  is_degraded INTEGER NOT NULL,
  output_refs TEXT NOT NULL,
  warning_codes TEXT NOT NULL,
  reason_code TEXT,
  receipt_id TEXT,
  created_at TEXT NOT NULL
) STRICT;

CREATE INDEX document_operations_by_owner ON document_operations (owner_user_id, created_at);
CREATE INDEX document_operations_by_source ON document_operations (source_ref);

-- The adapter is part of the program, so it is not registered by a request.
INSERT INTO connector_servers (
  server_id, provider, display_name, transport, interaction_mode, rate_limit_profile, data_classes, supported_tools,
  enabled, active_build_surface, supports_smoke_test, created_at, updated_at
) VALUES (
  'acrobat', 'acrobat', 'Acrobat', 'local_bridge', 'interactive_user', 'unknown', '[]',
  '["extract_text","extract_tables","ocr","redaction_prep"]', 1, 1, 0,
  strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
);
