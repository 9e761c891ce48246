"""Record real environments; import what others recorded."""
