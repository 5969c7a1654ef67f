// How long DuckDB takes for the questions of BenchmarkQuestions, over the same rows in a file of its own. Once:
//
//   GPUSPEND_BENCH_CHARGES=10000000 GPUSPEND_BENCH_STORE=speed.db go test ./cmd/gpuspend -run '^$' -bench Questions -benchtime 1x -timeout 60m
//   sqlite3 -csv -header speed.db "select c.start_at t, l.provider, l.owner, l.gpu, i.currency,
//     printf('%d.%09d', c.billed_nanos/1000000000, c.billed_nanos%1000000000) billed
//     from charges c join items i on i.id = c.item_id join labels l on l.id = i.label_id" > rows.csv
//   npm install @duckdb/node-api && node compare.mjs rows.csv
import fs from 'fs'
import { DuckDBInstance } from '@duckdb/node-api'

const rows = process.argv[2], file = rows + '.duckdb', fresh = !fs.existsSync(file)
const db = await (await DuckDBInstance.create(file)).connect()
if (fresh) {
  await db.run(`CREATE TABLE f AS SELECT *, make_timestamp(t * 1000) ts FROM read_csv('${rows}', header = true, columns = {
    't': 'BIGINT', 'provider': 'VARCHAR', 'owner': 'VARCHAR', 'gpu': 'VARCHAR', 'currency': 'VARCHAR', 'billed': 'DECIMAL(38,18)'})`)
  await db.run('CHECKPOINT')
}
const questions = {
  'cost month by provider': `SELECT provider, currency, SUM(billed) FROM f WHERE ts >= '2026-11-01' AND ts < '2026-12-01' GROUP BY ALL`,
  'cost 30d by gpu': `SELECT gpu, currency, SUM(billed) FROM f WHERE ts >= '2026-10-31' AND ts < '2026-11-30' GROUP BY ALL`,
  'cost 7d by day where owner=team-3': `SELECT date_trunc('day', ts) d, currency, SUM(billed) FROM f
    WHERE ts >= '2026-11-23' AND ts < '2026-11-30' AND owner = 'team-3' GROUP BY ALL`,
}
for (const [words, sql] of Object.entries(questions)) {
  const took = []
  for (let i = 0; i < 105; i++) {
    const began = process.hrtime.bigint()
    await db.runAndReadAll(sql)
    if (i >= 5) took.push(Number(process.hrtime.bigint() - began) / 1e6)
  }
  took.sort((a, b) => a - b)
  console.log(`${words}: median ${took[50].toFixed(1)} ms, 99th of 100 ${took[98].toFixed(1)} ms`)
}
