-- Changes of wallets but by use, seen between two readings: ledger.Step.
CREATE TABLE wallet_steps (
    id         INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES accounts(id),
    at         INTEGER NOT NULL,
    kind       TEXT NOT NULL,              -- topup, grant, expired, fell
    source     TEXT NOT NULL,              -- counter: exact; balance: at least
    nanos      INTEGER NOT NULL, rest INTEGER NOT NULL,
    currency   TEXT NOT NULL
) STRICT;
CREATE INDEX wallet_steps_at ON wallet_steps(at);
