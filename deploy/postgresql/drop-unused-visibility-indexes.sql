-- Drops the indexes of Temporal's visibility table that neither hundredfold nor usual searches in the Temporal UI use.
-- Each item writes its row twice, and each write adds an entry to every index: more than half of the WAL of an item.
-- Made for the schema of Temporal 1.32. Each index can be created again with its line of
-- schema/postgresql/v12/visibility/schema.sql in Temporal's sources.
--
-- Only for a database that hundredfold does not share: other applications may search by these columns.
--
--   psql -h HOST -U temporal -d visibility -v ON_ERROR_STOP=1 -f drop-unused-visibility-indexes.sql

-- Lengths, sizes and durations of workflows.
DROP INDEX IF EXISTS by_history_length;
DROP INDEX IF EXISTS by_history_size_bytes;
DROP INDEX IF EXISTS by_execution_duration;
DROP INDEX IF EXISTS by_state_transition_count;
DROP INDEX IF EXISTS by_temporal_external_payload_size_bytes;
DROP INDEX IF EXISTS by_temporal_external_payload_count;

-- Schedules and batches.
DROP INDEX IF EXISTS by_binary_checksums;
DROP INDEX IF EXISTS by_batcher_user;
DROP INDEX IF EXISTS by_temporal_scheduled_start_time;
DROP INDEX IF EXISTS by_temporal_scheduled_by_id;
DROP INDEX IF EXISTS by_temporal_schedule_paused;

-- Search attributes of other types than those of hundredfold, and more Keyword attributes than its seven.
DROP INDEX IF EXISTS by_bool_01;
DROP INDEX IF EXISTS by_bool_02;
DROP INDEX IF EXISTS by_bool_03;
DROP INDEX IF EXISTS by_datetime_01;
DROP INDEX IF EXISTS by_datetime_02;
DROP INDEX IF EXISTS by_datetime_03;
DROP INDEX IF EXISTS by_double_01;
DROP INDEX IF EXISTS by_double_02;
DROP INDEX IF EXISTS by_double_03;
DROP INDEX IF EXISTS by_int_01;
DROP INDEX IF EXISTS by_int_02;
DROP INDEX IF EXISTS by_int_03;
DROP INDEX IF EXISTS by_keyword_08;
DROP INDEX IF EXISTS by_keyword_09;
DROP INDEX IF EXISTS by_keyword_10;
DROP INDEX IF EXISTS by_text_01;
DROP INDEX IF EXISTS by_text_02;
DROP INDEX IF EXISTS by_text_03;
DROP INDEX IF EXISTS by_keyword_list_01;
DROP INDEX IF EXISTS by_keyword_list_02;
DROP INDEX IF EXISTS by_keyword_list_03;

-- Columns that the server keeps for schedules and standalone activities, which hundredfold does not use.
DROP INDEX IF EXISTS by_temporal_bool_01;
DROP INDEX IF EXISTS by_temporal_bool_02;
DROP INDEX IF EXISTS by_temporal_datetime_01;
DROP INDEX IF EXISTS by_temporal_datetime_02;
DROP INDEX IF EXISTS by_temporal_double_01;
DROP INDEX IF EXISTS by_temporal_double_02;
DROP INDEX IF EXISTS by_temporal_int_01;
DROP INDEX IF EXISTS by_temporal_int_02;
DROP INDEX IF EXISTS by_temporal_keyword_01;
DROP INDEX IF EXISTS by_temporal_keyword_02;
DROP INDEX IF EXISTS by_temporal_keyword_03;
DROP INDEX IF EXISTS by_temporal_keyword_04;
DROP INDEX IF EXISTS by_temporal_low_cardinality_keyword_01;
DROP INDEX IF EXISTS by_temporal_keyword_list_01;
DROP INDEX IF EXISTS by_temporal_keyword_list_02;
