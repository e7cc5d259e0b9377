-- Whether MCP sessions of the token have a tool for each usable ability.
ALTER TABLE tokens ADD COLUMN ability_tools INTEGER NOT NULL DEFAULT 1;
