-- The accounts of an organisation, as its payer lists them.
CREATE TABLE members (
    payer_id   INTEGER NOT NULL REFERENCES accounts(id),
    vendor_id  TEXT NOT NULL,
    name       TEXT NOT NULL,
    status     TEXT NOT NULL,
    units      TEXT NOT NULL,              -- JSON: ids of the units above it
    tags       TEXT NOT NULL,              -- JSON
    first_seen INTEGER NOT NULL,
    left_at    INTEGER,                    -- first complete list that lacked it
    PRIMARY KEY (payer_id, vendor_id)
) STRICT, WITHOUT ROWID;
