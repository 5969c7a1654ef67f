-- Times are Unix milliseconds, UTC. Money is two integers, nanos and a remainder in 1e-18 (0 <= rest < 1e9), beside an
-- ISO 4217 code; a NULL pair is unknown, never zero. Decimals are text.

CREATE TABLE accounts (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL UNIQUE,
    driver     TEXT NOT NULL,              -- '' for an account that is only imported
    vendor_id  TEXT NOT NULL DEFAULT '',   -- the cloud's own id, from the first good read
    provider   TEXT NOT NULL DEFAULT '',
    currency   TEXT NOT NULL DEFAULT '',
    stopped    TEXT,                       -- JSON text: why it is not polled
    created_at INTEGER NOT NULL
) STRICT;

-- How the last attempts to read one thing ended. kind, region and project are '' but for inventory.
CREATE TABLE readings (
    account_id    INTEGER NOT NULL REFERENCES accounts(id),
    of            TEXT NOT NULL,
    kind          TEXT NOT NULL DEFAULT '',
    region        TEXT NOT NULL DEFAULT '',
    project       TEXT NOT NULL DEFAULT '',
    complete_at   INTEGER,
    tried_at      INTEGER NOT NULL,
    error_kind    TEXT NOT NULL DEFAULT '',
    say           TEXT,                    -- JSON text
    failing_since INTEGER,
    PRIMARY KEY (account_id, of, kind, region, project)
) STRICT, WITHOUT ROWID;

-- One row a generation: one appearance of a resource, from first to last sight.
CREATE TABLE resources (
    id          INTEGER PRIMARY KEY,
    handle      TEXT NOT NULL UNIQUE,
    account_id  INTEGER NOT NULL REFERENCES accounts(id),
    kind        TEXT NOT NULL,
    region      TEXT NOT NULL,
    scope_kind  TEXT NOT NULL,             -- the scope it was last listed in: only that one can miss it. A scope
    scope_region TEXT NOT NULL,            -- without a region may list things of many regions.
    scope_project TEXT NOT NULL,
    vendor_id   TEXT NOT NULL,
    name        TEXT NOT NULL,
    owner       TEXT NOT NULL DEFAULT '',
    project     TEXT NOT NULL DEFAULT '',
    gpu         TEXT NOT NULL DEFAULT '',
    gpu_count   TEXT NOT NULL DEFAULT '',  -- '' is unknown
    described   TEXT NOT NULL,             -- JSON: the rest of the description, as last seen
    first_seen  INTEGER NOT NULL,
    last_seen   INTEGER NOT NULL,
    state_since INTEGER NOT NULL,
    absent_at   INTEGER,                   -- first complete listing that lacked it
    gone_at     INTEGER                    -- second complete listing that lacked it
) STRICT;
CREATE UNIQUE INDEX resources_living ON resources(account_id, kind, region, vendor_id) WHERE gone_at IS NULL;
CREATE INDEX resources_account ON resources(account_id, gone_at);

-- States and rates are intervals, never overwritten.
CREATE TABLE spans (
    id           INTEGER PRIMARY KEY,
    resource_id  INTEGER NOT NULL REFERENCES resources(id),
    from_at      INTEGER NOT NULL,
    to_at        INTEGER,
    seen_to      INTEGER NOT NULL,
    state        TEXT NOT NULL,
    vendor_state TEXT NOT NULL,
    billed       INTEGER NOT NULL,         -- 1 yes, -1 no, 0 unknown
    rate_nanos   INTEGER,
    rate_rest    INTEGER,
    currency     TEXT,
    rate_source  TEXT NOT NULL,
    mode         TEXT NOT NULL
) STRICT;
CREATE INDEX spans_resource ON spans(resource_id, from_at);
CREATE INDEX spans_open ON spans(to_at, from_at);

-- Somebody's word that a resource is wanted, or is his.
CREATE TABLE keeps (
    id          INTEGER PRIMARY KEY,
    resource_id INTEGER NOT NULL REFERENCES resources(id),
    until_at    INTEGER,                   -- NULL: for good
    reason      TEXT NOT NULL,
    user_id     TEXT NOT NULL,
    team_id     TEXT NOT NULL,
    at          INTEGER NOT NULL,
    ended_at    INTEGER
) STRICT;
CREATE INDEX keeps_resource ON keeps(resource_id, at);

CREATE TABLE balances (
    id          INTEGER PRIMARY KEY,
    account_id  INTEGER NOT NULL REFERENCES accounts(id),
    read_at     INTEGER NOT NULL,
    mode        TEXT NOT NULL,
    currency    TEXT NOT NULL,
    cash_nanos  INTEGER, cash_rest INTEGER,
    credit_nanos INTEGER, credit_rest INTEGER,
    spent_nanos INTEGER, spent_rest INTEGER,
    described   TEXT NOT NULL DEFAULT '{}' -- JSON: vouchers, least top-up, settlement
) STRICT;
CREATE INDEX balances_account ON balances(account_id, read_at);

-- A delivery is one import command or one polled window. Its parts go live together.
CREATE TABLE deliveries (
    id         INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES accounts(id),
    source     TEXT NOT NULL,              -- focus, native, api, counter
    adds       INTEGER NOT NULL DEFAULT 0, -- 1: appended, replaces nothing
    files      TEXT NOT NULL DEFAULT '[]', -- JSON: names as given
    started_at INTEGER NOT NULL,
    live_at    INTEGER
) STRICT;
CREATE TABLE parts (
    id              INTEGER PRIMARY KEY,
    delivery_id     INTEGER NOT NULL REFERENCES deliveries(id),
    account_id      INTEGER NOT NULL REFERENCES accounts(id),
    source          TEXT NOT NULL,
    billing_account TEXT NOT NULL,
    period_start    INTEGER NOT NULL,      -- BillingPeriodStart; for polled windows the UTC day
    period_end      INTEGER NOT NULL,
    state           TEXT NOT NULL CHECK (state IN ('loading', 'live', 'replaced')),
    rows            INTEGER NOT NULL DEFAULT 0,
    changed_at      INTEGER NOT NULL
) STRICT;
CREATE INDEX parts_period ON parts(account_id, source, billing_account, period_start, state);
CREATE INDEX parts_state ON parts(state);

-- How far a cloud has delivered, per account and source.
CREATE TABLE coverage (
    account_id  INTEGER NOT NULL REFERENCES accounts(id),
    source      TEXT NOT NULL,
    through     INTEGER NOT NULL,
    provisional INTEGER,
    read_at     INTEGER NOT NULL,
    PRIMARY KEY (account_id, source)
) STRICT, WITHOUT ROWID;

-- What a charge is cut by; shared by items and both roll-ups.
CREATE TABLE labels (
    id       INTEGER PRIMARY KEY,
    provider TEXT NOT NULL,
    service  TEXT NOT NULL,
    part     TEXT NOT NULL,
    region   TEXT NOT NULL,
    owner    TEXT NOT NULL,
    project  TEXT NOT NULL,
    gpu      TEXT NOT NULL,
    mode     TEXT NOT NULL,
    UNIQUE (provider, service, part, region, owner, project, gpu, mode)
) STRICT;

-- What lines of one part say again hour after hour: what was charged for. Kept once, it makes a store a fifth of the size.
CREATE TABLE items (
    id            INTEGER PRIMARY KEY,
    part_id       INTEGER NOT NULL REFERENCES parts(id),
    label_id      INTEGER NOT NULL REFERENCES labels(id),
    currency      TEXT NOT NULL,
    category      TEXT NOT NULL,
    class         TEXT,
    resource      TEXT,                    -- ResourceId
    resource_name TEXT,
    details       TEXT NOT NULL            -- JSON: the other FOCUS columns that are stored, nulls left out
) STRICT;
CREATE INDEX items_part ON items(part_id);
CREATE INDEX items_resource ON items(resource) WHERE resource IS NOT NULL;

-- The vendor's lines. No unique key: two equal lines are two charges.
CREATE TABLE charges (
    id        INTEGER PRIMARY KEY,
    part_id   INTEGER NOT NULL REFERENCES parts(id),
    item_id   INTEGER NOT NULL REFERENCES items(id),
    start_at  INTEGER NOT NULL,            -- ChargePeriodStart
    end_at    INTEGER NOT NULL,            -- ChargePeriodEnd
    day       INTEGER NOT NULL,            -- where it belongs: days since 1970, vendor's date when whole, else UTC date
    whole     INTEGER NOT NULL,            -- 1: a day or longer, kept at the vendor's date
    billed_nanos     INTEGER NOT NULL, billed_rest     INTEGER NOT NULL,
    effective_nanos  INTEGER, effective_rest  INTEGER,
    list_nanos       INTEGER, list_rest       INTEGER,
    contracted_nanos INTEGER, contracted_rest INTEGER,
    pricing_quantity TEXT, consumed_quantity TEXT, commitment_quantity TEXT
) STRICT;
CREATE INDEX charges_part ON charges(part_id, start_at);
CREATE INDEX charges_item ON charges(item_id, start_at);

-- Roll-ups of one shape. at: in spend_hours the start, truncated to 15 minutes where it is not on the hour; in spend_days
-- UTC midnight. Charges of a day or longer (whole) have no hour: they stand in spend_days alone, at the vendor's date.
CREATE TABLE spend_hours (
    part_id  INTEGER NOT NULL REFERENCES parts(id),
    at       INTEGER NOT NULL,
    whole    INTEGER NOT NULL,
    label_id INTEGER NOT NULL REFERENCES labels(id),
    currency TEXT NOT NULL,
    rows     INTEGER NOT NULL,
    billed_nanos    INTEGER NOT NULL, billed_rest    INTEGER NOT NULL,
    effective_nanos INTEGER NOT NULL, effective_rest INTEGER NOT NULL, effective_rows INTEGER NOT NULL,
    gross_nanos     INTEGER NOT NULL, gross_rest     INTEGER NOT NULL, -- BilledCost of Usage and Purchase rows above zero
    PRIMARY KEY (at, part_id, whole, label_id, currency)
) STRICT, WITHOUT ROWID;
CREATE INDEX spend_hours_part ON spend_hours(part_id);
CREATE TABLE spend_days (
    part_id  INTEGER NOT NULL REFERENCES parts(id),
    at       INTEGER NOT NULL,
    whole    INTEGER NOT NULL,
    label_id INTEGER NOT NULL REFERENCES labels(id),
    currency TEXT NOT NULL,
    rows     INTEGER NOT NULL,
    billed_nanos    INTEGER NOT NULL, billed_rest    INTEGER NOT NULL,
    effective_nanos INTEGER NOT NULL, effective_rest INTEGER NOT NULL, effective_rows INTEGER NOT NULL,
    gross_nanos     INTEGER NOT NULL, gross_rest     INTEGER NOT NULL,
    PRIMARY KEY (at, part_id, whole, label_id, currency)
) STRICT, WITHOUT ROWID;
CREATE INDEX spend_days_part ON spend_days(part_id);

-- Which source has charges for an account's UTC day, so that one counts and the others are kept for comparison.
CREATE TABLE source_days (
    part_id INTEGER NOT NULL REFERENCES parts(id),
    day     INTEGER NOT NULL,
    PRIMARY KEY (part_id, day)
) STRICT, WITHOUT ROWID;

-- What clouds sold, as intervals.
CREATE TABLE offers (
    id         INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES accounts(id),
    region     TEXT NOT NULL,
    type       TEXT NOT NULL,
    gpu        TEXT NOT NULL,
    gpu_count  TEXT NOT NULL,
    mode       TEXT NOT NULL,
    currency   TEXT NOT NULL,
    low_nanos  INTEGER, low_rest INTEGER,
    high_nanos INTEGER, high_rest INTEGER,
    described  TEXT NOT NULL,              -- JSON: unit, stock, excludes, source
    from_at    INTEGER NOT NULL,
    seen_to    INTEGER NOT NULL,
    to_at      INTEGER
) STRICT;
CREATE INDEX offers_open ON offers(account_id, to_at);

CREATE TABLE alerts (
    id          INTEGER PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    rule        TEXT NOT NULL,
    account_id  INTEGER REFERENCES accounts(id), -- NULL: about no single account
    resource_id INTEGER REFERENCES resources(id),
    scope       TEXT NOT NULL DEFAULT '',
    severity    INTEGER NOT NULL,
    state       TEXT NOT NULL CHECK (state IN ('firing', 'resolved')),
    fired_at    INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    resolved_at INTEGER,
    taken_user  TEXT NOT NULL DEFAULT '', taken_team TEXT NOT NULL DEFAULT '', taken_at INTEGER,
    snoozed_till INTEGER, snoozed_why TEXT NOT NULL DEFAULT '',
    snoozed_user TEXT NOT NULL DEFAULT '', snoozed_team TEXT NOT NULL DEFAULT '', snoozed_at INTEGER
) STRICT;
CREATE UNIQUE INDEX alerts_firing ON alerts(fingerprint) WHERE state = 'firing';
CREATE INDEX alerts_history ON alerts(fired_at);
CREATE INDEX alerts_over ON alerts(resolved_at) WHERE resolved_at IS NOT NULL;

CREATE TABLE outbox (
    id           INTEGER PRIMARY KEY,
    route        TEXT NOT NULL,            -- JSON of notify.Route
    route_name   TEXT NOT NULL,
    fingerprint  TEXT NOT NULL DEFAULT '',
    message      TEXT NOT NULL,            -- JSON of notify.Message
    edits        TEXT NOT NULL DEFAULT '',
    thread       TEXT NOT NULL DEFAULT '',
    created_at   INTEGER NOT NULL,
    try_at       INTEGER NOT NULL,
    tries        INTEGER NOT NULL DEFAULT 0,
    delivered_at INTEGER,
    receipt      TEXT NOT NULL DEFAULT '',
    failed       TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX outbox_due ON outbox(try_at) WHERE delivered_at IS NULL AND failed = '';
CREATE INDEX outbox_about ON outbox(fingerprint, route_name, delivered_at);

CREATE TABLE actions (
    id          INTEGER PRIMARY KEY,
    account_id  INTEGER NOT NULL REFERENCES accounts(id),
    resource_id INTEGER NOT NULL REFERENCES resources(id),
    verb        TEXT NOT NULL,
    state       TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    token       TEXT NOT NULL UNIQUE,
    by_user     TEXT NOT NULL, by_team TEXT NOT NULL, by_name TEXT NOT NULL,
    approver_user TEXT NOT NULL DEFAULT '', approver_team TEXT NOT NULL DEFAULT '', approver_name TEXT NOT NULL DEFAULT '',
    reason      TEXT NOT NULL DEFAULT '',
    place       TEXT NOT NULL DEFAULT '{}', -- JSON of release.Place
    lang        TEXT NOT NULL DEFAULT 'en',
    saves_nanos INTEGER, saves_rest INTEGER, still_nanos INTEGER, still_rest INTEGER, currency TEXT,
    request_id  TEXT NOT NULL DEFAULT '',
    job         TEXT NOT NULL DEFAULT '',
    why         TEXT,                      -- JSON text
    proposed_at INTEGER NOT NULL,
    moved_at    INTEGER NOT NULL,
    seen_at     INTEGER
) STRICT;
-- One action at a time on one resource: the lock.
CREATE UNIQUE INDEX actions_open ON actions(resource_id) WHERE state IN ('proposed', 'approved', 'running', 'verifying');
CREATE TABLE action_moves (
    id        INTEGER PRIMARY KEY,
    action_id INTEGER NOT NULL REFERENCES actions(id),
    at        INTEGER NOT NULL,
    from_state TEXT NOT NULL,
    to_state  TEXT NOT NULL,
    user_id   TEXT NOT NULL DEFAULT '', team_id TEXT NOT NULL DEFAULT '', user_name TEXT NOT NULL DEFAULT '',
    why       TEXT
) STRICT;
CREATE INDEX action_moves_action ON action_moves(action_id, id);
CREATE TRIGGER action_moves_kept BEFORE UPDATE ON action_moves BEGIN SELECT RAISE(ABORT, 'action_moves: history is append-only'); END;
CREATE TRIGGER action_moves_stay BEFORE DELETE ON action_moves BEGIN SELECT RAISE(ABORT, 'action_moves: history is append-only'); END;

-- Chat events already handled, so that a redelivery is handled once. Kept a day.
CREATE TABLE chat_events (
    id TEXT PRIMARY KEY,                   -- envelope, trigger or event id
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX chat_events_at ON chat_events(at);

-- People of the chat, with the team or enterprise that their id belongs to.
CREATE TABLE people (
    team_id  TEXT NOT NULL,
    user_id  TEXT NOT NULL,
    name     TEXT NOT NULL,
    locale   TEXT NOT NULL DEFAULT '',
    zone     TEXT NOT NULL DEFAULT '',
    standing TEXT NOT NULL,                -- member, guest, stranger, bot, deactivated
    read_at  INTEGER NOT NULL,
    PRIMARY KEY (team_id, user_id)
) STRICT, WITHOUT ROWID;
