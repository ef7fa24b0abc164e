export const schemaVersion = 1;

/** Later than every time: rows without a time come last, as in PostgreSQL. */
export const lastTime: number = Number.MAX_SAFE_INTEGER;

/** Lists read narrow rows; the JSON of records, compressed, is beside them. `seq` grows with every row, and so do ids. */
export const schema = `
CREATE TABLE results (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, parent TEXT NOT NULL, name TEXT NOT NULL, annotations TEXT NOT NULL,
  created INTEGER NOT NULL, updated INTEGER NOT NULL,
  s_record TEXT NOT NULL, s_type TEXT NOT NULL, s_start INTEGER, s_end INTEGER, s_status INTEGER NOT NULL, s_annotations TEXT,
  UNIQUE (parent, name));
CREATE INDEX results_updated ON results (updated);
CREATE INDEX results_start ON results (ifnull(s_start, ${lastTime}));
CREATE INDEX results_end ON results (ifnull(s_end, ${lastTime}));
CREATE TABLE records (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, result INTEGER NOT NULL REFERENCES results (seq),
  parent TEXT NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL,
  UNIQUE (result, name));
CREATE INDEX records_updated ON records (updated);
CREATE TABLE bodies (seq INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE results_facts (fact INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (fact, seq)) WITHOUT ROWID;
CREATE TABLE records_facts (fact INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (fact, seq)) WITHOUT ROWID`;
