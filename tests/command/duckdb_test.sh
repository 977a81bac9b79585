#!/usr/bin/env bash
# agreement: DuckDB reads the Parquet file of a store, and finds the rows of its CSV.
# Usage: duckdb_test.sh LEAFGLYPH ROOT
set -euo pipefail
leafglyph=$1 root=$2
skip() { echo "skipped: $1"; exit 77; }
command -v node >/dev/null || skip "node is not installed (nodejs)"
[ -d "$root/build/duckdb/node_modules" ] || skip "DuckDB is not installed (tools/setup/fetch_duckdb)"
work=$(mktemp -d)
trap 'rm -r -- "$work"' EXIT
cd "$work"
"$leafglyph" leaf generate --out leaves --species 3 --leaves 5 --seed 3 --quiet
echo "not an image" > leaves/bad.png
printf 'path,label,number\n' > list.csv
for file in leaves/*/*.png leaves/bad.png; do echo "$file,$(dirname "$file"),K $RANDOM"; done >> list.csv
"$leafglyph" features extract --list list.csv --config leaf --out leaves.store --block 4 --quiet || [ $? = 5 ]
"$leafglyph" features export leaves.store --parquet leaves.parquet --csv leaves.csv --quiet
NODE_PATH=$root/build/duckdb/node_modules node - <<'SCRIPT'
const { DuckDBInstance } = require("@duckdb/node-api");
(async () => {
  const connection = await (await DuckDBInstance.create()).connect();
  const ask = async (sql) => (await connection.runAndReadAll(sql)).getRows();
  const names = (await ask("DESCRIBE FROM read_csv('leaves.csv', all_varchar=true)"))
    .map(([name]) => `"${name}"`);
  await ask(`CREATE TABLE parquet AS SELECT ${names} FROM 'leaves.parquet'`);
  // Texts of the CSV take the types of the Parquet file.
  await ask("CREATE TABLE csv AS FROM parquet LIMIT 0");
  await ask("INSERT INTO csv FROM read_csv('leaves.csv', all_varchar=true)");
  const [[rows, means]] = await ask("SELECT count(*), count(\"mean-gradient\") FROM parquet");
  const differ = await ask("(FROM csv EXCEPT ALL FROM parquet) UNION ALL (FROM parquet EXCEPT ALL FROM csv)");
  const types = new Set((await ask("DESCRIBE parquet")).map((row) => row[1]));
  console.log(`${names.length} columns, ${rows} rows, ${means} with numbers, ${differ.length} differ`);
  const right = names.length === 2207 && rows === 16n && means === 15n && differ.length === 0 &&
    [...types].sort().join() === "BIGINT,FLOAT,VARCHAR";
  process.exit(right ? 0 : 1);
})();
SCRIPT
