-- What mining needs to find repeated work: which calls belong together, and what they were for.
ALTER TABLE connector_dispatches ADD COLUMN session_ref TEXT;
ALTER TABLE connector_dispatches ADD COLUMN why_needed TEXT;
-- The trace that counts the call. Null: it is not counted yet.
ALTER TABLE connector_dispatches ADD COLUMN mined_trace_id TEXT;
CREATE INDEX connector_dispatches_not_mined ON connector_dispatches (user_id, created_at) WHERE mined_trace_id IS NULL;
CREATE INDEX connector_dispatches_by_trace ON connector_dispatches (mined_trace_id) WHERE mined_trace_id IS NOT NULL;
