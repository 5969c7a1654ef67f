-- What the proposer ticked as saved elsewhere before a delete.
ALTER TABLE actions ADD COLUMN exported TEXT NOT NULL DEFAULT 'null'; -- JSON list of the checklist's items
