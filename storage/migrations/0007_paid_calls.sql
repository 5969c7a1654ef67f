-- Requests that a cloud charges for, counted by attempt before they are sent, by UTC day and account of the configuration.
CREATE TABLE paid_calls (
    day      INTEGER NOT NULL,           -- its start
    account  TEXT NOT NULL,              -- by name: a request may be paid before the account is stored
    currency TEXT NOT NULL,
    calls    INTEGER NOT NULL,
    nanos    INTEGER NOT NULL,
    rest     INTEGER NOT NULL,
    PRIMARY KEY (day, account, currency)
) STRICT, WITHOUT ROWID;
