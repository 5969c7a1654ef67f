-- What was billed for an account's UTC day beside what our own meter says: ledger.Drift.
CREATE TABLE drifts (
    account_id INTEGER NOT NULL REFERENCES accounts(id),
    day        INTEGER NOT NULL,
    currency   TEXT NOT NULL,
    billed_nanos  INTEGER NOT NULL, billed_rest  INTEGER NOT NULL,
    accrued_nanos INTEGER NOT NULL, accrued_rest INTEGER NOT NULL,
    most_nanos    INTEGER NOT NULL, most_rest    INTEGER NOT NULL,
    open       INTEGER NOT NULL,           -- resources at an unknown rate
    PRIMARY KEY (account_id, day, currency)
) STRICT, WITHOUT ROWID;
CREATE INDEX drifts_day ON drifts(day);
