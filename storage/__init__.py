"""Where bytes lie: tapes, blobs, the Parquet lake, DuckDB, the Hub."""
