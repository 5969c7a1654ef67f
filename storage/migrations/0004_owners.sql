-- An owner is resolved when a line or a resource is written, by the mapping of that time. What the cloud said is kept, so
-- that a changed mapping can be applied to what is stored.
ALTER TABLE items ADD COLUMN owner_tag TEXT NOT NULL DEFAULT '';
UPDATE items SET owner_tag = (SELECT owner FROM labels WHERE id = label_id);
ALTER TABLE resources ADD COLUMN owner_tag TEXT NOT NULL DEFAULT '';
UPDATE resources SET owner_tag = owner;

CREATE INDEX resources_vendor ON resources(account_id, vendor_id);

-- Somebody's word that a thing is his, which holds for the next thing of that name, too.
CREATE TABLE claims (
    id         INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES accounts(id),
    vendor_id  TEXT NOT NULL,
    name       TEXT NOT NULL,              -- '' for a thing without one: then the id alone counts
    owner      TEXT NOT NULL,
    user_id    TEXT NOT NULL,
    team_id    TEXT NOT NULL,
    at         INTEGER NOT NULL,
    ended_at   INTEGER,
    applied    INTEGER NOT NULL DEFAULT 0  -- 1: what was written before it was gone through
) STRICT;
CREATE INDEX claims_account ON claims(account_id) WHERE ended_at IS NULL;

CREATE TABLE mappings (
    version   INTEGER PRIMARY KEY,
    rules     TEXT NOT NULL,               -- JSON of ledger.Owners
    made_at   INTEGER NOT NULL,
    done_item INTEGER NOT NULL DEFAULT 0,  -- items up to this one were gone through
    applied   INTEGER NOT NULL DEFAULT 0
) STRICT;
