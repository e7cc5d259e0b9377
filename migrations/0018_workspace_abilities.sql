-- An ability in the private lane is its owner's alone, unless it was installed for the whole workspace to see.
ALTER TABLE abilities ADD COLUMN visibility TEXT NOT NULL DEFAULT 'private'
  CHECK (visibility IN ('private', 'workspace'));
