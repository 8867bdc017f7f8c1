"""Neo4j Browser in headless Chromium, driven by chromedriver."""
