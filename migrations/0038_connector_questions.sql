-- What a server gets if it asks something during a call.
ALTER TABLE connector_dispatches ADD COLUMN on_question TEXT;
