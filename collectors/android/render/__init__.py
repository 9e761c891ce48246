"""Android screens as text: three renderers of the same kept dump."""
