/** Upstream's tables, as its migration creates them; what is there already stays as it is. */
export const schema = `
CREATE TABLE IF NOT EXISTS results (
  parent varchar(64), id varchar(64), name varchar(64), annotations jsonb,
  created_time timestamptz DEFAULT current_timestamp, updated_time timestamptz DEFAULT current_timestamp,
  recordsummary_record varchar(256), recordsummary_type varchar(768), recordsummary_start_time timestamptz,
  recordsummary_end_time timestamptz, recordsummary_status integer, recordsummary_annotations jsonb, etag varchar(128),
  PRIMARY KEY (parent, id));
CREATE UNIQUE INDEX IF NOT EXISTS results_by_name ON results (parent, name);
CREATE TABLE IF NOT EXISTS records (
  parent varchar(64), result_id varchar(64), result_name varchar(64), id varchar(64), name varchar(64), type varchar(768),
  data jsonb, created_time timestamptz DEFAULT current_timestamp, updated_time timestamptz DEFAULT current_timestamp,
  etag varchar(128), PRIMARY KEY (parent, result_id, id),
  CONSTRAINT fk_records_result FOREIGN KEY (parent, result_id) REFERENCES results (parent, id)
    ON DELETE CASCADE ON UPDATE CASCADE);
CREATE UNIQUE INDEX IF NOT EXISTS records_by_name ON records (parent, result_name, name)`;
