"""One module for each framework: `parse(lines) -> SuiteRun`, empty where its words do not stand there."""
