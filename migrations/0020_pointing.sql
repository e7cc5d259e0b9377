-- The elements that a question offers as answers, as JSON.
ALTER TABLE questions ADD COLUMN choices TEXT;
-- The chosen element. NULL: the answer is a text of the person.
ALTER TABLE answers ADD COLUMN choice_id TEXT;
-- 1: nothing on the screen shows the outcome, so no run can be verified.
ALTER TABLE abilities ADD COLUMN unproven INTEGER;

-- Elements on kept screens that the person pointed at.
CREATE TABLE element_marks (
  mark_id TEXT PRIMARY KEY,
  learn_session_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  event_id TEXT NOT NULL,
  screen TEXT NOT NULL,
  node_path TEXT NOT NULL,
  label TEXT NOT NULL,
  name TEXT,
  value_type TEXT,
  evidence_ref TEXT NOT NULL,
  bounds TEXT,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX element_marks_by_session ON element_marks (learn_session_id);
