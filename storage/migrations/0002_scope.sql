-- What a general cloud's scope leaves out, and what it must not.

-- How many things of a scope the last complete listing left out because nobody asked to watch them; NULL before one was
-- made that counted.
ALTER TABLE readings ADD COLUMN left_out INTEGER;

-- 1: had a GPU, or was on a machine that had one, at some time while it was watched.
ALTER TABLE resources ADD COLUMN served INTEGER NOT NULL DEFAULT 0;
CREATE INDEX resources_served ON resources(account_id) WHERE served = 1 AND gone_at IS NULL;
