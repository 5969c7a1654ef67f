-- What people said is to become of a resource at an instant: a lease that ends, a removal to be asked about.
CREATE TABLE marks (
    id          INTEGER PRIMARY KEY,
    resource_id INTEGER NOT NULL REFERENCES resources(id),
    kind        TEXT NOT NULL,              -- lease, remove
    due         INTEGER NOT NULL,
    user_id     TEXT NOT NULL, team_id TEXT NOT NULL, user_name TEXT NOT NULL,
    channel     TEXT NOT NULL DEFAULT '',
    reason      TEXT NOT NULL DEFAULT '',
    made_at     INTEGER NOT NULL,
    told_at     INTEGER,                    -- when its notice was delivered
    asked_at    INTEGER,
    idle        INTEGER NOT NULL DEFAULT 0, -- 1: seen out of use since
    ended_at    INTEGER,
    ended_why   TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE UNIQUE INDEX marks_open ON marks(resource_id, kind) WHERE ended_at IS NULL;
