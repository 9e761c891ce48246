"""Wire the rooms and run them on Dask: record, import, project, curate, build."""
