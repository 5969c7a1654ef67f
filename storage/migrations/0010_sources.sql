-- The order in which an account's sources of charges count, ' api focus '; '' for the default order.
ALTER TABLE accounts ADD COLUMN sources TEXT NOT NULL DEFAULT '';
