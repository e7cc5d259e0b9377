-- What an observed action did to the device, beside its words: raw observation, forgotten with it.
CREATE TABLE observed_steps (
  event_id TEXT PRIMARY KEY,
  learn_session_id TEXT NOT NULL,
  body TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX observed_steps_by_session ON observed_steps (learn_session_id);
