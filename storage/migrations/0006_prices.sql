-- Price lists that somebody imported. A list of the same name and kind takes the place of the one before.
CREATE TABLE price_lists (
    id          INTEGER PRIMARY KEY,
    kind        TEXT NOT NULL,             -- machines, extras
    name        TEXT NOT NULL,
    imported_at INTEGER NOT NULL,
    rejected    INTEGER NOT NULL,
    unused      INTEGER NOT NULL,
    UNIQUE (kind, name)
) STRICT;

CREATE TABLE prices (
    list_id INTEGER NOT NULL REFERENCES price_lists(id) ON DELETE CASCADE,
    line    INTEGER NOT NULL,
    cells   TEXT NOT NULL,                 -- JSON list, in the columns of the kind
    PRIMARY KEY (list_id, line)
) STRICT, WITHOUT ROWID;
