-- Roll-ups tell sorts of charges apart (0 usage, 1 credit, 2 refund, 3 tax, 4 correction: ledger.Sort), so that every view
-- of money is answered from them. They are made anew from the lines.
DROP TABLE spend_hours;
DROP TABLE spend_days;
CREATE TABLE spend_hours (
    part_id  INTEGER NOT NULL REFERENCES parts(id),
    at       INTEGER NOT NULL,
    whole    INTEGER NOT NULL,
    label_id INTEGER NOT NULL REFERENCES labels(id),
    currency TEXT NOT NULL,
    sort     INTEGER NOT NULL,
    rows     INTEGER NOT NULL,             -- 0: a day of the term of what was paid ahead; its effective pair alone counts
    billed_nanos    INTEGER NOT NULL, billed_rest    INTEGER NOT NULL,
    effective_nanos INTEGER NOT NULL, effective_rest INTEGER NOT NULL, effective_rows INTEGER NOT NULL,
    PRIMARY KEY (at, part_id, whole, label_id, currency, sort)
) STRICT, WITHOUT ROWID;
CREATE INDEX spend_hours_part ON spend_hours(part_id);
CREATE TABLE spend_days (
    part_id  INTEGER NOT NULL REFERENCES parts(id),
    at       INTEGER NOT NULL,
    whole    INTEGER NOT NULL,
    label_id INTEGER NOT NULL REFERENCES labels(id),
    currency TEXT NOT NULL,
    sort     INTEGER NOT NULL,
    rows     INTEGER NOT NULL,
    billed_nanos    INTEGER NOT NULL, billed_rest    INTEGER NOT NULL,
    effective_nanos INTEGER NOT NULL, effective_rest INTEGER NOT NULL, effective_rows INTEGER NOT NULL,
    PRIMARY KEY (at, part_id, whole, label_id, currency, sort)
) STRICT, WITHOUT ROWID;
CREATE INDEX spend_days_part ON spend_days(part_id);
CREATE INDEX labels_owner ON labels(owner);

CREATE TEMP VIEW sorted AS SELECT c.part_id, c.start_at, c.day, c.whole, i.label_id, i.currency,
    CASE WHEN i.class = 'Correction' THEN 4 WHEN i.category = 'Tax' THEN 3 WHEN i.category = 'Credit' THEN 1
         WHEN c.billed_nanos < 0 THEN 2 WHEN i.category = 'Adjustment' THEN 4 ELSE 0 END AS sort,
    c.billed_nanos, c.billed_rest, c.effective_nanos, c.effective_rest
    FROM charges c JOIN items i ON i.id = c.item_id;
INSERT INTO spend_days SELECT part_id, day * 86400000, whole, label_id, currency, sort, COUNT(*), SUM(billed_nanos), SUM(billed_rest),
    COALESCE(SUM(effective_nanos), 0), COALESCE(SUM(effective_rest), 0), COUNT(effective_nanos) FROM sorted GROUP BY 1, 2, 3, 4, 5, 6;
INSERT INTO spend_hours SELECT part_id, start_at / 900000 * 900000, 0, label_id, currency, sort, COUNT(*), SUM(billed_nanos), SUM(billed_rest),
    COALESCE(SUM(effective_nanos), 0), COALESCE(SUM(effective_rest), 0), COUNT(effective_nanos) FROM sorted WHERE whole = 0 GROUP BY 1, 2, 4, 5, 6;
DROP VIEW sorted;

-- What has to be known of an account's bill before it is shown: billing.BillKind.
ALTER TABLE accounts ADD COLUMN no_effective INTEGER NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN no_invoice   INTEGER NOT NULL DEFAULT 0;
